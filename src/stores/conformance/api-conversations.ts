import assert from 'node:assert/strict'
import type { Progress, Throughline } from '../../api.ts'
import { conversationKeyRules } from './api-conversation-keys.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { abortedFor, expectError, type FixedClock, fixedClock } from './samples.ts'

const HOUR = 3600_000
const DAY = 24 * HOUR
const ada = { userId: 'ada' }

/** A conversation with a running session. */
async function working(tl: Throughline) {
  const { session } = await tl.conversations.handle('c', { ...ada, message: 'Add retry logic to the connect function' })
  assert(session !== undefined)
  session.observe.fileRead({ path: 'src/connect.ts' })
  await session.append({ type: 'model_message', content: 'I read the file.' })
  return session
}

const stateOf = async (tl: Throughline, id: string) => (await (await tl.sessions.get(id)).record()).status.state

type Check = (context: { db: ApiDatabase; tl: Throughline; clock: FixedClock }) => Promise<void>

const rules: readonly Rule<ApiDatabase>[] = Object.entries(checks()).map(([title, check]) => ({
  id: 'A20',
  title,
  async check(db) {
    const clock = fixedClock()
    const tl = await db.connect({ clock })
    await check({ db, tl, clock })
    assert.deepEqual((await tl.verify()).differences, [])
  },
}))

/** A20 conversations: the effect of messages, resuming after a pause; A28 their keys. */
export const conversationRules: readonly Rule<ApiDatabase>[] = [...rules, ...conversationKeyRules]

function checks(): Record<string, Check> {
  return {
    'the five turns of the document, from the first request to the next task': async ({ tl }) => {
      const say = (message: string) => tl.conversations.handle('c', { ...ada, message })
      const one = await say('Add retry logic to the connect function')
      assert.deepEqual([one.action, one.intent], ['started', 'new_task'])
      const { session } = one
      assert(session !== undefined)
      assert.equal((await session.record()).task, 'Add retry logic to the connect function')
      session.observe.fileRead({ path: 'src/connect.ts' })
      session.observe.plan('Wrap connect() in a loop with a delay')
      await session.ask('Which delay: A) fixed, B) exponential, C) exponential with jitter?')

      const two = await say('Option C, and make max retries configurable')
      assert.deepEqual([two.action, two.intent, two.session?.id], ['answer', 'response', session.id])
      session.observe.fileWrite({ path: 'src/connect.ts', content: 'with jitter' })
      session.observe.command({ command: 'cargo test', exitCode: 0 })
      await session.propose('Exponential backoff with jitter, max retries configurable. Tests pass.')

      const three = await say('Looks good but also add logging for retry attempts')
      assert.deepEqual([three.action, three.intent], ['continue', 'modification'])
      session.observe.fileWrite({ path: 'src/connect.ts', content: 'with jitter and logging' })
      await session.propose('Retry logic with backoff, jitter, configurable retries and logging.')

      const four = await say('Perfect, thanks!')
      assert.deepEqual(
        [four.action, four.intent, four.session, four.ended?.id],
        ['complete', 'confirmation', undefined, session.id],
      )
      const { items } = await tl.conversations.commits('c')
      assert.equal(items.length, 1)
      assert(items[0]?.summary.includes('configurable retries and logging'))
      assert.deepEqual(
        items[0]?.filesWritten.map(({ path }) => path),
        ['src/connect.ts'],
      )

      const five = await say("Now let's add connection pooling")
      assert.deepEqual([five.action, five.intent], ['started', 'new_task'])
      assert.notEqual(five.session?.id, session.id)
      const context = await five.session?.context({ maxTokens: 2000 })
      assert(context?.messages.some(({ content }) => content.includes('configurable retries and logging')))
    },
    'Agent asks question, user answers: Response, continue session': async ({ tl }) => {
      const session = await working(tl)
      await session.ask('Which database should it use, SQLite or Postgres?')
      const {
        action,
        intent,
        session: same,
        judged,
        say,
      } = await tl.conversations.handle('c', { ...ada, message: 'Postgres' })
      assert.deepEqual([action, intent, same?.id, judged.by], ['answer', 'response', session.id, 'rules'])
      assert(say.length > 0)
      assert.equal(await stateOf(tl, session.id), 'running')
      const said = await session.events({ types: ['user_message'] })
      assert.deepEqual(said.at(-1)?.parts, { intent: { ...judged } })
    },
    'User says "change X to Y" mid-task: Modification, continue session': async ({ tl }) => {
      const session = await working(tl)
      const outcome = await tl.conversations.handle('c', { ...ada, message: 'Make it 5 retries instead of 3' })
      assert.deepEqual([outcome.action, outcome.intent], ['interrupt_and_incorporate', 'modification'])
      assert.equal(await stateOf(tl, session.id), 'running')
      const states = (await session.events({ types: ['status_changed'] })).map(
        ({ parts }) => (parts as { status: { state: string } }).status.state,
      )
      assert.deepEqual(states, ['interrupted', 'running'])
    },
    'User says "looks good" / "done": Confirmation, compact session': async ({ tl }) => {
      const session = await working(tl)
      await session.propose('Retries are in.')
      const outcome = await tl.conversations.handle('c', { ...ada, message: 'looks good' })
      assert.deepEqual([outcome.action, outcome.ended?.id], ['complete', session.id])
      assert.equal(await stateOf(tl, session.id), 'complete')
      assert.equal((await session.compact()).kind, 'normal')
    },
    'User says "never mind" / "stop": Abandon, compact (partial), end session': async ({ tl }) => {
      const session = await working(tl)
      const outcome = await tl.conversations.handle('c', { ...ada, message: 'never mind' })
      assert.deepEqual([outcome.action, outcome.intent, outcome.session], ['abandon', 'abandon', undefined])
      assert.deepEqual((await session.record()).status, abortedFor('abandoned'))
      const commit = await session.compact()
      assert.deepEqual([commit.kind, commit.filesRead], ['abandoned', ['src/connect.ts']])
    },
    'User says "now do something unrelated": NewTask, compact current, start new': async ({ tl }) => {
      const session = await working(tl)
      const message = 'forget that, new task: write a haiku about autumn leaves'
      const outcome = await tl.conversations.handle('c', { ...ada, message })
      assert.deepEqual([outcome.action, outcome.intent, outcome.ended?.id], ['new_task', 'new_task', session.id])
      assert.deepEqual((await session.record()).status, abortedFor('displaced'))
      assert.equal((await session.compact()).kind, 'interrupted')
      const record = await outcome.session?.record()
      assert.deepEqual([record?.task, record?.conversationId, record?.turns], [message, 'c', 1])
    },
    'User returns after hours/days: Resume, check state, offer to continue': async ({ tl, clock }) => {
      const session = await working(tl)
      await session.ask('Which database should it use?')
      const { head } = await session.record()
      clock.advance(23 * HOUR)
      const soon = await tl.conversations.resume('c', ada)
      assert.deepEqual([soon.plan, soon.session?.id], ['ask_again', session.id])
      assert(soon.say.includes('Which database should it use?'))
      clock.advance(2 * HOUR)
      const later = await tl.conversations.resume('c', ada)
      assert.equal(later.plan, 'offer')
      assert(later.say.includes('Add retry logic'))
      assert.equal((await tl.conversations.resume('c', { ...ada, accept: true })).plan, 'ask_again')
      assert.equal((await session.record()).head, head)
      const { action } = await tl.conversations.handle('c', { ...ada, message: 'Postgres' })
      assert.equal(action, 'answer')
    },
    'User returns after > stale_timeout: Stale, compact old, prompt for new': async ({ tl, clock }) => {
      const session = await working(tl)
      clock.advance(8 * DAY)
      const { plan, session: none, ended, say } = await tl.conversations.resume('c', ada)
      assert.deepEqual([plan, none, ended?.id], ['expired', undefined, session.id])
      assert(say.length > 0)
      assert.deepEqual((await session.record()).status, abortedFor('expired'))
      const commit = await session.compact()
      assert.equal(commit.kind, 'stale')
      assert(commit.summary.includes(abortedFor('expired').reason))
      assert.equal((await tl.conversations.resume('c', ada)).plan, 'new_task')
    },
    'a restart does not reset the idle time, and declining ends the session': async ({ tl, db, clock }) => {
      const session = await working(tl)
      clock.advance(20 * HOUR)
      const again = await db.connect({ clock })
      assert.equal((await again.conversations.resume('c', ada)).plan, 'show_progress')
      await again.close()
      clock.advance(5 * HOUR)
      const later = await db.connect({ clock })
      assert.equal((await later.conversations.resume('c', ada)).plan, 'offer')
      const declined = await later.conversations.decline('c', ada)
      assert.deepEqual([declined.plan, declined.ended?.id], ['new_task', session.id])
      assert.deepEqual((await session.record()).status, abortedFor('declined'))
      assert.equal((await session.compact()).kind, 'abandoned')
      assert.equal((await later.conversations.decline('c', ada)).ended, undefined)
    },
    'resumes by state: shows progress, repeats the summary, repeats the interruption': async ({ tl }) => {
      const session = await working(tl)
      const running = await tl.conversations.resume('c', ada)
      assert.equal(running.plan, 'show_progress')
      assert(running.say.includes('Add retry logic'))
      await session.interrupt('Use the other file')
      const interrupted = await tl.conversations.resume('c', ada)
      assert.equal(interrupted.plan, 'repeat_interruption')
      assert(interrupted.say.includes('Use the other file'))
      await session.incorporate()
      await session.propose('All retries are in')
      const proposed = await tl.conversations.resume('c', ada)
      assert.equal(proposed.plan, 'present_summary')
      assert(proposed.say.includes('All retries are in'))
      assert.equal((await tl.conversations.resume('nothing here', ada)).plan, 'new_task')
      await expectError('VALIDATION', tl.conversations.resume('', ada))
      await expectError('VALIDATION', tl.conversations.handle('c', { ...ada, message: '' }))
    },
    'asks if a message is unclear, acknowledges a confirmation of nothing, and keeps a pending question': async ({
      tl,
    }) => {
      const session = await working(tl)
      const unclear = await tl.conversations.handle('c', { ...ada, message: 'asdf qwer zxcv' })
      assert.deepEqual([unclear.action, await stateOf(tl, session.id)], ['clarify', 'awaiting_user'])
      const reply = await tl.conversations.handle('c', { ...ada, message: 'It belongs to the task' })
      assert.deepEqual([reply.action, await stateOf(tl, session.id)], ['answer', 'running'])
      await session.ask('Which one, A or B?')
      const again = await tl.conversations.handle('c', { ...ada, message: 'asdf qwer zxcv' })
      assert.equal(again.action, 'clarify')
      const { status } = await session.record()
      assert.equal(status.state === 'awaiting_user' && status.question, 'Which one, A or B?')
      const thanks = await tl.conversations.handle('c', { ...ada, message: 'thanks!' })
      assert.equal(thanks.action, 'acknowledge')
      assert(thanks.say.includes('Which one, A or B?'))
    },
    'recognizes the reply to its own question, and makes a commit that a crash skipped': async ({ tl }) => {
      const session = await working(tl)
      await tl.conversations.handle('c', { ...ada, message: 'asdf qwer zxcv' })
      const reply = await tl.conversations.handle('c', { ...ada, message: "It's something new" })
      assert.deepEqual([reply.action, reply.ended?.id], ['new_task', session.id])
      const said = (await reply.session?.events({ types: ['user_message'] })) ?? []
      assert.deepEqual(
        said.map(({ content }) => content),
        ['asdf qwer zxcv', "It's something new"],
      )
      assert.equal((await reply.session?.record())?.task, 'asdf qwer zxcv')
      assert.deepEqual(said[1]?.parts, { intent: { ...reply.judged, intent: 'new_task' }, displaced: session.id })
      await reply.session?.end()
      await tl.conversations.handle('c', { ...ada, message: 'Write a haiku' })
      // a session ended by the caller gets no commit
      assert.equal((await tl.conversations.commits('c')).items.length, 1)
    },
    'finds the live session among any number of ended ones': async ({ tl, clock }) => {
      const scope = { ...ada, conversationId: 'c' }
      const ended = []
      for (let n = 0; n < 25; n++) {
        const session = await tl.sessions.create(scope)
        await session.end()
        ended.push(session)
      }
      const live = await tl.sessions.create(scope)
      await live.ask('Still there?')
      clock.advance(1000)
      for (const session of ended) await session.compact('Done')
      assert.equal((await tl.conversations.resume('c', ada)).session?.id, live.id)
      assert.equal((await tl.conversations.handle('c', { ...ada, message: 'yes' })).session?.id, live.id)
      assert.equal((await tl.sessions.list(ada)).items[0]?.id, live.id)
    },
    'handles concurrent new tasks in order, and commits work that was only observed': async ({ tl }) => {
      const session = await working(tl)
      session.observe.note('Decision: keep it')
      const tasks = Array.from({ length: 12 }, (_, n) => `New task: write haiku number ${n}`)
      const outcomes = await Promise.all(tasks.map((message) => tl.conversations.handle('c', { ...ada, message })))
      assert.equal(new Set(outcomes.map(({ session: next }) => next?.id)).size, 12)
      assert.deepEqual((await session.compact()).decisions, ['keep it'])
      assert.equal((await tl.sessions.list({ ...ada, status: 'running' })).items.length, 1)
    },
    'starts one session for many concurrent first messages': async ({ tl }) => {
      const messages = ['Add retries to connect()', 'Make it five retries', 'Retry only on timeouts please']
      const outcomes = await Promise.all(messages.map((message) => tl.conversations.handle('c', { ...ada, message })))
      assert.equal(new Set(outcomes.map(({ session }) => session?.id)).size, 1)
      assert.equal(outcomes.filter(({ action }) => action === 'started').length, 1)
    },
    'stores every one of many concurrent messages': async ({ tl }) => {
      await working(tl)
      const messages = Array.from({ length: 8 }, (_, n) => `Make it ${n + 2} retries instead of 1`)
      const outcomes = await Promise.all(messages.map((message) => tl.conversations.handle('c', { ...ada, message })))
      assert.equal(new Set(outcomes.map(({ session }) => session?.id)).size, 1)
      const kept = (await outcomes[0]?.session?.messages())?.map(({ content }) => content)
      for (const message of messages) assert.equal(kept?.filter((content) => content === message).length, 1)
    },
    'sweeps stale and expired sessions once, even with concurrent sweeps, and leaves idle ones': async ({
      tl,
      db,
      clock,
    }) => {
      const stale = await tl.sessions.create({ ...ada, tenant: 'acme' })
      const expiring = await tl.sessions.create({ userId: 'bob', expiresInMs: 9 * DAY })
      clock.advance(6 * DAY)
      const idle = await tl.sessions.create({ userId: 'carl' })
      await expiring.append({ type: 'user_message', content: 'still here' })
      clock.advance(DAY + 1)
      const other = await db.connect({ clock })
      assert.deepEqual(await tl.as({ tenant: 'other' }).sweep(), { swept: 0, compacted: 0, failed: 0, forgotten: 0 })
      const reports = await Promise.all([tl.sweep(), other.sweep(), tl.sweep()])
      assert.equal(
        reports.reduce((sum, { swept }) => sum + swept, 0),
        1,
      )
      assert.deepEqual((await stale.record()).status, abortedFor('expired'))
      assert.equal((await stale.compact()).kind, 'stale')
      clock.advance(2 * DAY)
      const progress: Progress[] = []
      const swept = await other.sweep({ onProgress: (done) => void progress.push(done) })
      assert.deepEqual(swept, { swept: 1, compacted: 1, failed: 0, forgotten: 0 })
      assert.deepEqual(progress.at(-1), { sessions: 1, of: 1 })
      assert.equal((await expiring.record()).status.state, 'aborted')
      assert.equal((await idle.record()).status.state, 'running')
    },
    'a sweep makes a missing commit, after the process that ended the session had time to make it': async ({
      db,
      clock,
    }) => {
      // a hanging summarizer prevents the commit, as a crash would
      const answer = Promise.withResolvers<string>()
      const tl = await db.connect({ clock, summarize: () => answer.promise })
      const session = await tl.sessions.create(ada)
      const aborting = session.abort('Enough')
      for await (const { type } of session.tail()) if (type === 'status_changed') break
      const left = await db.connect({ clock })
      assert.deepEqual(await left.sweep(), { swept: 0, compacted: 0, failed: 0, forgotten: 0 })
      clock.advance(11 * 60_000)
      assert.deepEqual(await left.sweep(), { swept: 0, compacted: 1, failed: 0, forgotten: 0 })
      assert.equal((await (await left.sessions.get(session.id)).compact()).kind, 'abandoned')
      assert.deepEqual(await left.sweep(), { swept: 0, compacted: 0, failed: 0, forgotten: 0 })
      answer.resolve('Too late')
      await aborting
      assert.equal((await session.events({ types: ['session_compacted'] })).length, 1)
    },
  }
}
