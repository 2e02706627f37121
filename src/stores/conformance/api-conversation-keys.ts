import assert from 'node:assert/strict'
import type { Incoming, Outcome, Resumed, Session, Throughline } from '../../api.ts'
import { classifyByRules } from '../../domain/classify.ts'
import type { Classify } from '../../ports/model.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { abortedFor, expectError, type FixedClock, fixedClock, upTo } from './samples.ts'

const DAY = 24 * 3600_000
const ada = { userId: 'ada' }
const once = { idempotencyKey: 'once' }
const FIRST = 'Add retry logic to the connect function'
const OTHER_TASK = 'forget that, new task: write a haiku about autumn leaves'

/** The comparable part of an outcome. */
const plain = <T extends Outcome | Resumed>({ session, ended, ...rest }: T) => ({
  ...rest,
  session: session?.id,
  ended: ended?.id,
})

/** All sessions of the conversation with their logs, newest id last. */
async function contentOf(tl: Throughline, conversationId = 'c') {
  const { items } = await tl.sessions.list({ ...ada, conversationId })
  const ids = items.map(({ id }) => id).sort()
  return await Promise.all(ids.map(async (id) => (await tl.sessions.get(id)).events({ limit: 500 })))
}

async function working(tl: Throughline, conversationId = 'c'): Promise<Session> {
  const { session } = await tl.conversations.handle(conversationId, { ...ada, message: FIRST })
  assert(session !== undefined)
  await session.append({ type: 'model_message', content: 'I read the file.' })
  return session
}

/** A classifier that follows the rules and counts its calls. */
function countingClassifier(): { classify: Classify; asked: number } {
  const judge: { classify: Classify; asked: number } = {
    asked: 0,
    classify(input) {
      judge.asked++
      return classifyByRules({ ...input, task: input.task })
    },
  }
  return judge
}

const unsure = async (tl: Throughline, conversationId: string) => {
  await tl.conversations.handle(conversationId, { ...ada, message: 'asdf qwer zxcv' })
}

type Prepare = (session: Session, tl: Throughline, conversationId: string) => Promise<unknown>

/** Each action of a message, and the steps that lead to it. */
const MESSAGES: readonly [action: string, message: string, before?: Prepare][] = [
  ['answer', 'Postgres', (session) => session.ask('Which database, SQLite or Postgres?')],
  ['interrupt_and_incorporate', 'Make it 5 retries instead of 3'],
  ['incorporate', 'Make it 5 retries instead of 3', (session) => session.interrupt('Wait')],
  ['continue', 'Looks good but also add logging', (session) => session.propose('Retries are in.')],
  ['complete', 'looks good', (session) => session.propose('Retries are in.')],
  ['acknowledge', 'thanks!'],
  ['acknowledge', 'thanks!', (session) => session.ask('Which one, A or B?')],
  ['clarify', 'asdf qwer zxcv'],
  ['clarify', 'asdf qwer zxcv', (session) => session.ask('Which one, A or B?')],
  ['abandon', 'never mind'],
  ['new_task', OTHER_TASK],
  ['new_task', "It's something new", (_, tl, conversationId) => unsure(tl, conversationId)],
]

type Check = (context: { db: ApiDatabase; tl: Throughline; clock: FixedClock }) => Promise<void>

/** A28 idempotency keys of messages. */
export const conversationKeyRules: readonly Rule<ApiDatabase>[] = Object.entries(checks()).map(([title, check]) => ({
  id: 'A28',
  title: `handles a message with a key once: ${title}`,
  async check(db) {
    const clock = fixedClock()
    const tl = await db.connect({ clock })
    await check({ db, tl, clock })
    assert.deepEqual((await tl.verify()).differences, [])
  },
}))

function checks(): Record<string, Check> {
  return {
    'it starts one session, and the key belongs to the conversation': async ({ db, tl, clock }) => {
      const message = { ...ada, message: FIRST }
      const one = plain(await tl.conversations.handle('c', message, once))
      assert.equal(one.action, 'started')
      const content = await contentOf(tl)
      assert.deepEqual(
        content.map((events) => events.map(({ type }) => type)),
        [['session_started', 'user_message']],
      )
      const other = await db.connect({ clock })
      for (const each of [tl, other]) {
        assert.deepEqual(plain(await each.conversations.handle('c', message, once)), one)
        assert.deepEqual(await contentOf(each), content)
      }
      await expectError('IDEMPOTENCY_MISMATCH', other.conversations.handle('c', { ...ada, message: 'Write' }, once))
      await expectError('IDEMPOTENCY_MISMATCH', other.conversations.decline('c', ada, once))
      const scopes: [string, Incoming][] = [
        ['d', message],
        ['c', { ...message, userId: 'bob' }],
        ['c', { ...message, chatmode: 'voice' }],
        ['c', { ...message, tenant: 'acme' }],
      ]
      for (const [conversation, elsewhere] of scopes) {
        const { action, session } = await tl.conversations.handle(conversation, elsewhere, once)
        assert.equal(action, 'started')
        assert.notEqual(session?.id, one.session)
      }
      // keys of a session are separate
      const session = await tl.sessions.get(one.session ?? '')
      assert.equal((await session.append({ type: 'model_message', content: 'Yes' }, once)).length, 1)
      assert.deepEqual(plain(await tl.conversations.handle('c', message, once)), one)
      await expectError('VALIDATION', tl.conversations.handle('c', message, { idempotencyKey: '' }))
    },
    'for every action, without a second classification, and after later messages': async ({ db, clock }) => {
      const judge = countingClassifier()
      const tl = await db.connect({ clock, classify: judge.classify })
      const other = await db.connect({ clock, classify: judge.classify })
      for (const [n, [action, text, before]] of MESSAGES.entries()) {
        const conversation = `c${n}`
        const message = { ...ada, message: text }
        await before?.(await working(tl, conversation), tl, conversation)
        if (before === undefined) await working(tl, conversation)
        const first = await tl.conversations.handle(conversation, message, once)
        assert.equal(first.action, action)
        const { asked } = judge
        const repeated = async (each: Throughline) => {
          const content = await contentOf(tl, conversation)
          assert.deepEqual(plain(await each.conversations.handle(conversation, message, once)), plain(first))
          assert.deepEqual(await contentOf(tl, conversation), content)
        }
        await repeated(tl)
        await repeated(other)
        const mismatch = other.conversations.handle(conversation, { ...ada, message: `${text}!` }, once)
        await expectError('IDEMPOTENCY_MISMATCH', mismatch)
        assert.equal(judge.asked, asked)
        // the current state does not matter
        await first.session?.abort('Enough')
        await repeated(other)
        await tl.conversations.handle(conversation, { ...ada, message: 'Write a haiku' })
        await repeated(other)
        assert.equal(judge.asked, asked)
        assert.deepEqual((await tl.conversations.commits(conversation)).items.map(({ position }) => position).at(0), 1)
      }
    },
    'from two concurrent processes': async ({ db, clock }) => {
      const both = [await db.connect({ clock }), await db.connect({ clock })] as const
      const [tl] = both
      for (const [n, [action, text, before]] of [['started', FIRST], ...MESSAGES].entries()) {
        const conversation = `c${n}`
        const message = { ...ada, message: text as string }
        const session = action === 'started' ? undefined : await working(tl, conversation)
        if (session !== undefined && typeof before === 'function') await before(session, tl, conversation)
        const sessions = (await contentOf(tl, conversation)).length
        const calls = [...both, ...both].map((each) => each.conversations.handle(conversation, message, once))
        const outcomes = (await Promise.all(calls)).map(plain)
        assert.equal(outcomes[0]?.action, action)
        for (const outcome of outcomes) assert.deepEqual(outcome, outcomes[0])
        const content = await contentOf(tl, conversation)
        assert.equal(content.length, sessions + (action === 'started' || action === 'new_task' ? 1 : 0))
        const said = content.flat().filter(({ type, content: words }) => type === 'user_message' && words === text)
        assert.equal(said.length, 1)
      }
    },
    'a slower process adopts the classification of the first': async ({ db, tl, clock }) => {
      for (const [n, [action, text, before]] of MESSAGES.entries()) {
        const conversation = `c${n}`
        const message = { ...ada, message: text }
        const session = await working(tl, conversation)
        const asked = Promise.withResolvers<void>()
        const go = Promise.withResolvers<void>()
        const slow = await db.connect({
          clock,
          async classify() {
            asked.resolve()
            await go.promise
            return 'modification' as const
          },
        })
        const late = slow.conversations.handle(conversation, message, once)
        await asked.promise
        await before?.(session, tl, conversation)
        const first = await tl.conversations.handle(conversation, message, once)
        assert.equal(first.action, action)
        const content = await contentOf(tl, conversation)
        go.resolve()
        assert.deepEqual(plain(await late), plain(first))
        assert.deepEqual(await contentOf(tl, conversation), content)
      }
    },
    'it is classified again if the status changed, and a repeat uses that classification': async ({ db, clock }) => {
      let meanwhile: (() => Promise<unknown>) | undefined
      const tl = await db.connect({
        clock,
        async classify() {
          await meanwhile?.()
          meanwhile = undefined
          return 'confirmation' as const
        },
      })
      const session = await working(tl)
      const message = { ...ada, message: 'thanks!' }
      meanwhile = () => session.propose('Retries are in.')
      const first = await tl.conversations.handle('c', message, once)
      assert.equal(first.action, 'complete')
      assert.deepEqual(plain(await tl.conversations.handle('c', message, once)), plain(first))
    },
    'a retry continues after a crash between the end of one session and the start of the next': async ({
      db,
      tl,
      clock,
    }) => {
      // a hanging summarizer keeps the next session from starting, as a crash would
      const answer = Promise.withResolvers<string>()
      const stuck = await db.connect({ clock, summarize: () => answer.promise })
      const session = await working(tl)
      await unsure(tl, 'c')
      const message = { ...ada, message: "It's something new" }
      const first = stuck.conversations.handle('c', message, once)
      while ((await session.record()).endedAt === undefined) await session.events()
      // another message in between yields: the place is reserved for this one
      const between = await tl.conversations.handle('c', { ...ada, message: 'Sort my mail' })
      assert.equal(between.action, 'started')
      const again = await tl.conversations.handle('c', message, once)
      assert.deepEqual([again.action, again.intent, again.ended?.id], ['new_task', 'new_task', session.id])
      assert.equal((await again.session?.record())?.task, 'asdf qwer zxcv')
      const said = (await again.session?.events({ types: ['user_message'] })) ?? []
      assert.deepEqual(
        said.map(({ content }) => content),
        ['asdf qwer zxcv', "It's something new"],
      )
      assert.deepEqual((await between.session?.record())?.status, abortedFor('displaced'))
      const content = await contentOf(tl)
      assert.equal(content.length, 3)
      answer.resolve('Too late')
      assert.deepEqual(plain(await first), plain(again))
      assert.deepEqual(await contentOf(tl), content)
    },
    'the session it started remembers the key until it is purged': async ({ tl, clock }) => {
      const session = await working(tl)
      const message = { ...ada, message: OTHER_TASK }
      const first = plain(await tl.conversations.handle('c', message, once))
      assert.equal(first.ended, session.id)
      clock.advance(3 * DAY)
      assert.deepEqual(plain(await tl.conversations.handle('c', message, once)), first)
    },
    'the last ten sessions of the conversation remember the key': async ({ tl, clock }) => {
      const message = { ...ada, message: 'never mind' }
      const session = await working(tl)
      const first = plain(await tl.conversations.handle('c', message, once))
      const declined = { idempotencyKey: 'declined' }
      clock.advance(1000)
      const second = await working(tl)
      const end = plain(await tl.conversations.decline('c', ada, declined))
      assert.deepEqual([first.ended, end.ended], [session.id, second.id])
      for (const _ of upTo(8)) {
        clock.advance(1000)
        await (await working(tl)).end()
      }
      assert.deepEqual(plain(await tl.conversations.handle('c', message, once)), first)
      clock.advance(1000)
      const live = await working(tl)
      // one session too far back: the message counts as new
      assert.equal((await tl.conversations.handle('c', message, once)).ended?.id, live.id)
      assert.deepEqual(plain(await tl.conversations.decline('c', ada, declined)), end)
    },
    'staged observations are flushed once': async ({ db, tl, clock }) => {
      const session = await working(tl)
      const message = { ...ada, message: 'Make it 5 retries instead of 3' }
      session.observe.fileRead({ path: 'src/connect.ts' })
      await tl.conversations.handle('c', message, once)
      const other = await db.connect({ clock })
      const same = await other.sessions.get(session.id)
      same.observe.fileRead({ path: 'src/connect.ts' })
      same.observe.fileRead({ path: 'src/other.ts' })
      await other.conversations.handle('c', message, once)
      const step = await same.flushStep()
      assert.deepEqual(step?.observations, [{ kind: 'fileRead', path: 'src/other.ts' }])
    },
    'decline takes keys too': async ({ db, tl, clock }) => {
      const session = await working(tl)
      const first = plain(await tl.conversations.decline('c', ada, once))
      assert.equal(first.ended, session.id)
      const next = await working(tl)
      const other = await db.connect({ clock })
      const content = await contentOf(tl)
      for (const each of [tl, other]) assert.deepEqual(plain(await each.conversations.decline('c', ada, once)), first)
      assert.deepEqual(await contentOf(tl), content)
      await expectError('IDEMPOTENCY_MISMATCH', tl.conversations.handle('c', { ...ada, message: 'Postgres' }, once))
      const another = { idempotencyKey: 'another' }
      const calls = [tl, other, tl, other].map((each) => each.conversations.decline('c', ada, another))
      for (const each of await Promise.all(calls)) assert.equal(each.ended?.id, next.id)
    },
  }
}
