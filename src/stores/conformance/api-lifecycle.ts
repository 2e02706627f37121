import assert from 'node:assert/strict'
import type { Session, Throughline } from '../../api.ts'
import type { WorkCommit } from '../../domain/graph.ts'
import { LIFECYCLE, LIVE_STATES, type LifecycleCommandName } from '../../domain/lifecycle.ts'
import { SESSION_STATES, type SessionState } from '../../domain/record.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, fixedClock, NOON, upTo } from './samples.ts'

const COMMANDS: Record<LifecycleCommandName, (session: Session) => Promise<unknown>> = {
  ask: (session) => session.ask('Which one?'),
  answer: (session) => session.answer('The second'),
  interrupt: (session) => session.interrupt('Wait'),
  incorporate: (session) => session.incorporate('Done so'),
  propose: (session) => session.propose('All done'),
  confirm: (session) => session.confirm(),
  continueWith: (session) => session.continueWith('And the docs'),
  abort: (session) => session.abort('Enough'),
  end: (session) => session.end(),
}

/** The calls that lead to each state. */
const WAYS: Record<SessionState, LifecycleCommandName[]> = {
  running: [],
  awaiting_user: ['ask'],
  interrupted: ['interrupt'],
  pending_complete: ['propose'],
  complete: ['propose', 'confirm'],
  aborted: ['abort'],
}

async function sessionIn(tl: Throughline, state: SessionState): Promise<Session> {
  const session = await tl.sessions.create({ userId: 'ada', task: 'Retry' })
  for (const command of WAYS[state]) await COMMANDS[command](session)
  assert.equal((await session.record()).status.state, state)
  return session
}

const typesOf = async (session: Session, after: number) =>
  (await session.events({ after, limit: 500 })).map(({ type }) => type)

/** A17 lifecycle. */
export const lifecycleRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A17',
    title: 'follows the transition table for every command in every state, and writes nothing on a refusal',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      for (const state of SESSION_STATES) {
        for (const [command, call] of Object.entries(COMMANDS)) {
          const { from, to } = LIFECYCLE[command as LifecycleCommandName]
          const session = await sessionIn(tl, state)
          const { head } = await session.record()
          if ((from as readonly SessionState[]).includes(state)) {
            await call(session)
            assert.equal((await session.record()).status.state, to, `${command} in ${state}`)
            continue
          }
          const isLive = (LIVE_STATES as readonly SessionState[]).includes(state)
          const error = await expectError(
            command === 'end' && !isLive ? 'SESSION_ENDED' : 'INVALID_TRANSITION',
            call(session),
          )
          assert(error.message.includes(session.id))
          assert.equal((await session.record()).head, head, `${command} in ${state}`)
        }
      }
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A17',
    title: 'writes the state, the message, the note and the edge to the task in one append',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const session = await tl.sessions.create({ userId: 'ada', task: 'Retry' })
      session.observe.fileRead({ path: 'a.ts' })
      const { status } = await session.ask('Which one?')
      assert.deepEqual(status, { state: 'awaiting_user', question: 'Which one?', askedAt: NOON })
      assert.deepEqual(await typesOf(session, 1), ['model_message', 'work_committed', 'status_changed'])
      await session.answer('The second')
      assert.deepEqual(await typesOf(session, 4), ['user_message', 'work_committed', 'status_changed'])
      const [response] = await session.events({ after: 5, limit: 1 })
      const { observations, kind, parents } = (response?.parts ?? {}) as unknown as WorkCommit
      assert.deepEqual([kind, observations.length, parents.length], ['response', 1, 1])
      const [note] = observations
      assert(note?.kind === 'note')
      assert.deepEqual([note.about, note.text], ['response', 'The second'])
      const { edges } = await session.graph({ node: `note:${note.id}` })
      assert.deepEqual(
        edges.map(({ label, to }) => [label, to]),
        [['mentions', 'task:session']],
      )
      assert.deepEqual((await session.interrupt('No, wait')).status, { state: 'interrupted', userMessage: 'No, wait' })
      await session.incorporate()
      assert.deepEqual((await session.propose('Did it')).status, { state: 'pending_complete', summary: 'Did it' })
      await session.continueWith('And the docs')
      assert.deepEqual(
        (await session.messages()).map(({ role, content }) => [role, content]),
        [
          ['assistant', 'Which one?'],
          ['user', 'The second'],
          ['user', 'No, wait'],
          ['assistant', 'Did it'],
          ['user', 'And the docs'],
        ],
      )
      assert.equal((await session.record()).turns, 3)
      const { status: last } = await session.abort('Enough')
      assert.deepEqual(last, { state: 'aborted', reason: 'Enough' })
    },
  },
  {
    id: 'A17',
    title: "goes by codes: a caller's texts that sound like a rule's own count as any other text",
    async check(db) {
      const tl = await db.connect()
      for (const reason of ['Session expired', 'Interrupted by new task']) {
        const session = await tl.sessions.create({ userId: 'ada' })
        assert.deepEqual((await session.abort(reason)).status, { state: 'aborted', reason })
        assert.equal((await session.compact()).kind, 'abandoned')
      }
      const scope = { userId: 'ada', conversationId: 'unclear' }
      const unclear = await tl.sessions.create(scope)
      const message = 'asdf qwer zxcv'
      const outcome = await tl.conversations.handle('unclear', { userId: 'ada', message })
      assert.equal(outcome.action, 'clarify')
      const { status } = await unclear.record()
      assert.deepEqual(status, { ...status, state: 'awaiting_user', cause: 'unclear' })
      await unclear.end()
      // the caller asks the same question: the reply answers it and starts no other task
      const session = await tl.sessions.create(scope)
      await session.ask(outcome.say)
      const reply = await tl.conversations.handle('unclear', { userId: 'ada', message: 'the new one' })
      assert.deepEqual([reply.action, reply.session?.id], ['answer', session.id])
    },
  },
  {
    id: 'A17',
    title: 'takes a step once per key, and lets one of many concurrent steps through',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const asked = await session.ask('Which?', { idempotencyKey: 'k' })
      await session.answer('This')
      assert.deepEqual(await session.ask('Which?', { idempotencyKey: 'k' }), asked)
      await expectError('IDEMPOTENCY_MISMATCH', session.ask('Other?', { idempotencyKey: 'k' }))
      const results = await Promise.allSettled(upTo(10).map((n) => session.propose(`Done ${n}`)))
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const result of results)
        if (result.status === 'rejected') assert.equal(result.reason.code, 'INVALID_TRANSITION')
      await session.confirm({ idempotencyKey: 'c' })
      assert.equal((await session.confirm({ idempotencyKey: 'c' })).status.state, 'complete')
      await expectError('INVALID_TRANSITION', session.confirm())
    },
  },
  {
    id: 'A17',
    title: 'rejects empty texts, and every step of an expired session',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada', expiresInMs: 1000 })
      for (const call of [session.ask(''), session.interrupt(''), session.propose(''), session.abort('')]) {
        await expectError('VALIDATION', call)
      }
      await session.ask('Which?')
      clock.advance(1000)
      await expectError('SESSION_ENDED', session.answer('Late'))
      await expectError('SESSION_ENDED', session.abort('Late'))
      await expectError('SESSION_ENDED', session.end())
      await expectError('SESSION_ENDED', session.flushStep())
    },
  },
]
