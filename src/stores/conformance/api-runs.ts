import assert from 'node:assert/strict'
import type { Run, Session, Throughline } from '../../api.ts'
import type { StopReason } from '../../domain/run.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, type FixedClock, fixedClock, upTo } from './samples.ts'

const hello = { type: 'user_message', content: 'hello' } as const
/** Milliseconds of the default lease. */
const LEASE = 30_000

/** Resolves with the reason of the run's signal. */
function stopped({ signal }: Run): Promise<{ reason: StopReason; note?: string }> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason)
    signal.addEventListener('abort', () => resolve(signal.reason))
  })
}

const outcomesOf = async (session: Session) => (await session.runs()).map(({ outcome }) => outcome)

/** Claims what needs work. There must be something. */
const claim = (tl: Throughline, options: object = {}): Promise<Run> => tl.claim({ worker: 'w', ...options })

/** Checks that no session needs work: a new one is claimed, which would come last. */
async function assertIdle(tl: Throughline, clock: FixedClock, options: { chatmode?: string; agent?: string } = {}) {
  clock.advance(1)
  const { agent, chatmode } = options
  const marker = await tl.sessions.create({ userId: 'marker', ...options })
  const filters = { ...(chatmode !== undefined && { chatmode }), ...(agent !== undefined && { agents: [agent] }) }
  const run = await claim(tl, filters)
  assert.equal(run.id, marker.id)
  await run.end()
  await run.finish()
}

/** A35 runs. */
export const apiRunRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A35',
    title: 'one run is live at a time, and the record shows it',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const run = await session.run({ worker: 'one' })
      assert.deepEqual([run.id, run.generation, run.signal.aborted], [session.id, 1, false])
      const { run: live } = await session.record()
      assert.deepEqual({ ...live, startedAt: '' }, { id: run.runId, generation: 1, worker: 'one', startedAt: '' })
      const error = await expectError('RUN_ACTIVE', session.run({ worker: 'two' }))
      assert.deepEqual(error.details, { sessionId: session.id, runId: run.runId, worker: 'one' })
      await run.addMessage({ role: 'assistant', content: 'working' })
      // plain writes need no run
      await session.append(hello)
      await run.finish({ note: 'done' })
      assert.equal((await session.record()).run, undefined)
      const next = await session.run()
      assert.equal(next.generation, 2)
      const listed = (await session.runs()).map(({ id, outcome, note, worker }) => [id, outcome, note, worker])
      assert.deepEqual(listed, [
        [next.runId, undefined, undefined, undefined],
        [run.runId, 'completed', 'done', 'one'],
      ])
      await next.finish()
      await expectError('RUN_LOST', next.finish())
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A35',
    title: 'the next run takes over when a lease has expired, and every write of the old one is refused',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada' })
      const old = await session.run()
      await old.append({ type: 'tool_call', content: 'read', parts: { id: 'c1', name: 'read', arguments: {} } })
      clock.advance(LEASE + 1)
      // nobody has taken over: it may still write
      await old.updateState({ step: 1 })
      const run = await session.run()
      assert.equal(run.generation, 2)
      const { head } = await session.record()
      const writes = [
        () => old.append(hello),
        () => old.addMessage({ role: 'assistant', content: 'late' }),
        () => old.updateState({ late: true }),
        () => old.incrementState('late'),
        () => old.ask('late?'),
        () => old.abort('late'),
        () => old.step('late', () => 1),
        () => old.clear(),
        () => old.setActiveAgent('late'),
        () => old.updateEnvelope({ personaId: 'late' }),
        () => old.finish(),
      ]
      for (const write of writes) await expectError('RUN_LOST', write())
      assert.equal((await session.record()).head, head)
      assert.deepEqual(await outcomesOf(session), [undefined, 'lost'])
      // the call that nobody answered has a result
      const { dangling } = await session.recent({ maxTurns: 5 })
      assert.deepEqual(dangling, [])
      await run.finish()
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A35',
    title: 'a step runs once, whichever run records it; a failure is not recorded',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const run = await session.run()
      let calls = 0
      const count = () => ++calls
      assert.deepEqual(await Promise.all([run.step('a', count), run.step('a', count)]), [1, 1])
      await assert.rejects(
        run.step('b', () => {
          throw new Error('failed')
        }),
        /failed/,
      )
      assert.equal(await run.step('b', count), 2)
      const value = { list: [1, 'two', null], deep: { ok: true } }
      assert.deepEqual(await run.step('json', async () => value), value)
      await run.step('nothing', () => {})
      await run.finish()
      const next = await session.run()
      assert.deepEqual([await next.step('a', count), await next.step('b', count)], [1, 2])
      assert.deepEqual(await next.step('json', () => ({})), value)
      assert.equal(await next.step('nothing', () => 1 as never), undefined)
      assert.equal(calls, 2)
      await next.finish()
      const steps = await session.events({ types: ['step_completed'] })
      assert.deepEqual(
        steps.map(({ content }) => content),
        ['a', 'b', 'json', 'nothing'],
      )
      await expectError('VALIDATION', (await session.run()).step('', count))
    },
  },
  {
    id: 'A35',
    title: 'a rewind forgets the steps after its target, and those before it stay; the run itself may rewind',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const run = await session.run()
      await run.step('before', () => 'b1')
      const { head } = await session.record()
      for (const round of upTo(3)) {
        await run.rewind({ to: head })
        assert.equal(await run.step('after', () => `a${round}`), `a${round}`)
        assert.equal(await run.step('after', () => 'again'), `a${round}`)
        assert.equal(await run.step('before', () => 'again'), 'b1')
      }
      await run.finish()
      await expectError('RUN_LOST', run.rewind({ to: head }))
      const other = await session.run()
      await expectError('RUN_ACTIVE', session.rewind({ to: head }))
      await other.finish()
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  ...(
    [
      ['cancelled', (session: Session) => session.cancel({ reason: 'enough' })],
      ['interrupted', (session: Session) => session.interrupt('wait')],
      ['aborted', (session: Session) => session.abort('enough')],
      ['ended', (session: Session) => session.end()],
    ] as const
  ).map(
    ([reason, stop]): Rule<ApiDatabase> => ({
      id: 'A35',
      title: `the signal of a run fires when its session is stopped from elsewhere: ${reason}`,
      async check(db) {
        const tl = await db.connect()
        const session = await tl.sessions.create({ userId: 'ada' })
        await session.append(hello)
        const run = await session.run()
        await run.addMessage({ role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'x', arguments: '{}' }] })
        const why = stopped(run)
        await stop(await (await db.connect()).sessions.get(session.id))
        assert.equal((await why).reason, reason)
        if (reason === 'cancelled') assert.equal((await why).note, 'enough')
        await run.finish()
        const isOver = reason === 'aborted' || reason === 'ended'
        assert.deepEqual(await outcomesOf(session), [isOver ? undefined : reason])
        assert.equal((await session.record()).run, undefined)
        if (isOver) return
        const { dangling, events } = await session.recent()
        assert.deepEqual(dangling, [])
        assert(events.some(({ type, parts }) => type === 'tool_result' && (parts as { cancelled?: true }).cancelled))
      },
    }),
  ),
  {
    id: 'A35',
    title: 'the signal of a run fires when its session is purged, and when another run takes over',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const purged = await (await tl.sessions.create({ userId: 'ada' })).run()
      const whyPurged = stopped(purged)
      await tl.sessions.purge(purged.id)
      assert.equal((await whyPurged).reason, 'purged')
      const session = await tl.sessions.create({ userId: 'ada' })
      const old = await session.run()
      const why = stopped(old)
      clock.advance(LEASE + 1)
      const run = await session.run()
      assert.equal((await why).reason, 'lost')
      await run.finish()
    },
  },
  {
    id: 'A35',
    title: 'a busy session can be waited for, or its run asked to stop',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const first = await session.run()
      await expectError('RUN_ACTIVE', session.run({ onBusy: 'wait', waitMs: 0 }))
      const second = session.run({ onBusy: 'wait' })
      await first.finish()
      const { generation, signal } = await second
      assert.equal(generation, 2)
      const held = await second
      const why = stopped(held)
      const third = session.run({ onBusy: 'interrupt', worker: 'next' })
      assert.equal((await why).reason, 'cancelled')
      assert(signal.aborted)
      await held.finish()
      assert.equal((await third).generation, 3)
      assert.deepEqual(await outcomesOf(session), [undefined, 'cancelled', 'completed'])
      await (await third).finish()
    },
  },
  {
    id: 'A35',
    title: 'a failed run is tried again after a while, and parked after five in a row until a message comes',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada' })
      for (const _ of upTo(5)) {
        const run = await claim(tl)
        await run.fail(new Error('no model'))
        clock.advance(3_600_000)
      }
      await assertIdle(tl, clock)
      assert.deepEqual((await session.runs()).map(({ outcome, note }) => [outcome, note])[0], ['failed', 'no model'])
      await session.append(hello)
      const run = await claim(tl)
      await run.finish()
      assert.equal(run.generation, 6)
      const left = await session.run()
      await left[Symbol.asyncDispose]()
      assert.equal((await outcomesOf(session))[0], 'failed')
      // at once it is too early
      await assertIdle(tl, clock)
    },
  },
  {
    id: 'A35',
    title: 'claim finds sessions that were never worked on, left, woken or written to, and no others',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada', chatmode: 'coach', agent: 'planner' })
      await assertIdle(tl, clock, { chatmode: 'other' })
      await assertIdle(tl, clock, { agent: 'writer' })
      const first = await claim(tl, { chatmode: 'coach', agents: ['planner', 'writer'] })
      assert.equal(first.id, session.id)
      await assertIdle(tl, clock)
      // a message while it runs is seen after its end
      await session.append(hello)
      await first.finish()
      const second = await claim(tl)
      assert.equal(second.generation, 2)
      await second.finish()
      await assertIdle(tl, clock)
      // left by a lost run
      await session.append(hello)
      await claim(tl)
      clock.advance(LEASE + 1)
      const taken = await claim(tl)
      assert.equal(taken.generation, 4)
      await taken.ask('which?')
      await taken.finish()
      await session.append(hello)
      await assertIdle(tl, clock)
      await session.answer('this one')
      const answered = await claim(tl)
      assert.equal(answered.generation, 5)
      await answered.end()
      await assertIdle(tl, clock)
    },
  },
  {
    id: 'A35',
    title: 'a wake makes a session need work once, with its prompt; another with its key replaces it',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada' })
      await (await session.run()).finish()
      const at = (seconds: number) => new Date(clock.now() + seconds * 1000)
      await session.wakeAt(at(10), { key: 'k', prompt: 'old' })
      const wake = await session.wakeAt(at(60), { key: 'k', prompt: 'look again' })
      assert.deepEqual([wake.at, wake.key, wake.prompt], [at(60).toISOString(), 'k', 'look again'])
      clock.advance(59_000)
      await assertIdle(tl, clock)
      clock.advance(1000)
      const run = await claim(tl)
      await run.finish()
      const messages = await session.messages()
      assert.deepEqual(
        messages.map(({ role, content }) => [role, content]),
        [['user', 'look again']],
      )
      await assertIdle(tl, clock)
      await expectError('VALIDATION', session.wakeAt('soon'))
      await expectError('VALIDATION', session.wakeAt(new Date(Number.NaN)))
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A35',
    title: 'of many racers for one run exactly one wins, and each session is claimed once',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const racers = await Promise.allSettled(upTo(20).map(() => session.run()))
      const won = racers.flatMap((racer) => (racer.status === 'fulfilled' ? [racer.value] : []))
      assert.equal(won.length, 1)
      for (const racer of racers) if (racer.status === 'rejected') assert.equal(racer.reason.code, 'RUN_ACTIVE')
      await won[0]?.finish()
      const made = await Promise.all(upTo(8).map(() => tl.sessions.create({ userId: 'bob' })))
      const runs = await Promise.all(upTo(8).map((n) => tl.claim({ worker: `w${n}` })))
      assert.deepEqual(new Set(runs.map(({ id }) => id)), new Set(made.map(({ id }) => id)))
      for (const run of runs) await run.finish()
    },
  },
  {
    id: 'A35',
    title: 'tenants take turns',
    async check(db) {
      const tl = await db.connect()
      for (const _ of upTo(6)) await tl.sessions.create({ tenant: 'busy', userId: 'ada' })
      await tl.sessions.create({ tenant: 'calm', userId: 'bob' })
      await tl.sessions.create({ tenant: 'small', userId: 'cyd' })
      const tenants = []
      for (const _ of upTo(3)) {
        const run = await tl.claim({ worker: 'w' })
        tenants.push((await run.record()).tenant)
        await run.finish()
      }
      assert.deepEqual(tenants.sort(), ['busy', 'calm', 'small'])
      const own = await tl.as({ tenant: 'busy' }).claim({ worker: 'w' })
      assert.equal((await own.record()).tenant, 'busy')
      await own.finish()
      const other = claim(tl.as({ tenant: 'calm' }))
      const late = await tl.sessions.create({ tenant: 'calm', userId: 'bob' })
      assert.equal((await other).id, late.id)
      await (await other).finish()
    },
  },
  {
    id: 'A35',
    title: 'a repeated call with a key returns the same run',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const run = await session.run({ worker: 'w', idempotencyKey: 'k' })
      const again = await session.run({ worker: 'w', idempotencyKey: 'k' })
      assert.deepEqual([again.runId, again.generation], [run.runId, run.generation])
      await expectError('IDEMPOTENCY_MISMATCH', session.run({ worker: 'other', idempotencyKey: 'k' }))
      await run.finish()
      await expectError('VALIDATION', session.run({ ttlMs: 1 }))
      await expectError('VALIDATION', tl.claim({ worker: '' }))
    },
  },
  {
    id: 'A35',
    title: 'an exported live run can be taken over where it was imported; a fork starts without runs',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const run = await session.run()
      await run.step('a', () => 1)
      const fork = await session.fork()
      assert.equal((await fork.record()).run, undefined)
      assert.equal((await fork.run()).generation, 1)
      const blocks = []
      for await (const block of tl.export({ sessionId: session.id })) blocks.push(block)
      await tl.sessions.purge(session.id)
      await tl.import(blocks)
      const copy = await tl.sessions.get(session.id)
      assert.equal((await copy.record()).run?.generation, 1)
      const next = await copy.run()
      assert.equal(next.generation, 2)
      await next.finish()
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
]
