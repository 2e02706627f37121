import assert from 'node:assert/strict'
import { LIMITS } from '../../domain/limits.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { startWorker } from './processes.ts'
import { expectError, fixedClock, NOON, noonPlus, upTo } from './samples.ts'

const fieldOf = (error: Error) => (error as Error & { field?: string }).field

/** A13 the scratchpad. */
export const stateRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A13',
    title: 'merges patches, null removes a key, and each change is an event with its version and time',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada' })
      const first = await session.updateState({ current_task: 'retries', own: { a: 1, b: [1] }, z: 0, y: null })
      assert.deepEqual(first, {
        scratchpad: { current_task: 'retries', own: { a: 1, b: [1] }, z: 0 },
        version: 1,
        updatedAt: NOON,
      })
      clock.advance(1000)
      const second = await session.updateState({ current_task: null, own: { a: null, b: [2], c: { d: null } } })
      assert.deepEqual(second, {
        scratchpad: { own: { b: [2], c: {} }, z: 0 },
        version: 2,
        updatedAt: noonPlus(1),
      })
      assert.deepEqual(await session.state(), second)
      assert.deepEqual(Object.keys(second.scratchpad), ['own', 'z'])
      const events = await session.events({ types: ['state_changed'] })
      assert.deepEqual(
        events.map(({ sequence, role }) => [sequence, role]),
        [
          [2, 'system'],
          [3, 'system'],
        ],
      )
      const replaced = await session.replaceState({ blockers: ['none'] })
      assert.deepEqual([replaced.scratchpad, replaced.version], [{ blockers: ['none'] }, 3])
      assert.deepEqual((await session.at(2)).state, first)
      assert.deepEqual((await session.at(3)).state, second)
      assert.deepEqual((await session.at(1)).state.scratchpad, {})
    },
  },
  {
    id: 'A13',
    title: 'adds a value to a list once and increments, also for missing keys',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.addToState('files_in_progress', 'a.ts')
      await session.addToState('files_in_progress', 'b.ts')
      const { scratchpad, version } = await session.addToState('files_in_progress', 'a.ts')
      assert.deepEqual([scratchpad.files_in_progress, version], [['a.ts', 'b.ts'], 2])
      await session.addToState('own', { a: [1], b: null })
      assert.equal((await session.addToState('own', { b: null, a: [1] })).version, 3)
      assert.equal((await session.addToState('own', { b: null })).version, 4)
      assert.equal((await session.incrementState('tries')).scratchpad['tries'], 1)
      assert.equal((await session.incrementState('tries', -2.5)).scratchpad['tries'], -1.5)
      await Promise.all(upTo(20).map(() => session.incrementState('many')))
      assert.equal((await session.state()).scratchpad['many'], 20)
      assert.equal(fieldOf(await expectError('VALIDATION', session.addToState('tries', 1))), 'key')
      assert.equal(fieldOf(await expectError('VALIDATION', session.incrementState('own'))), 'key')
      assert.equal(fieldOf(await expectError('VALIDATION', session.addToState('blockers', 7))), 'value')
      assert.equal(fieldOf(await expectError('VALIDATION', session.incrementState('tries', Number.NaN))), 'by')
      await expectError('VALIDATION', session.incrementState('blockers'))
      await expectError('VALIDATION', session.addToState('', 1))
      await expectError('VALIDATION', session.addToState('a', undefined as never))
    },
  },
  {
    id: 'A13',
    title: 'rejects invalid scratchpad values, names the field and writes nothing',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const before = await session.updateState({ current_task: 'kept', size: 'x'.repeat(1000) })
      const bad: [patch: unknown, field: string][] = [
        [{ current_task: 1 }, 'patch.current_task'],
        [{ spec_file: {} }, 'patch.spec_file'],
        [{ files_in_progress: 'a.ts' }, 'patch.files_in_progress'],
        [{ validation_gates_passed: ['1'] }, 'patch.validation_gates_passed'],
        [{ blockers: [1] }, 'patch.blockers'],
        [{ handoff_context: { key_decisions: [1] } }, 'patch.handoff_context'],
        [{ handoff_context: 'a' }, 'patch.handoff_context'],
        [[], 'patch'],
        ['text', 'patch'],
        [undefined, 'patch'],
        [{ a: Number.NaN }, 'patch.a'],
        [{ a: { b: new Date(0) } }, 'patch.a.b'],
        [{ a: '\0' }, 'patch.a'],
        [JSON.parse('{"__proto__": {"a": 1}}'), 'patch'],
      ]
      for (const [patch, field] of bad) {
        const error = await expectError('VALIDATION', session.updateState(patch as never))
        assert.equal(fieldOf(error), field)
      }
      const replaced = await expectError('VALIDATION', session.replaceState({ blockers: 'no' } as never))
      assert.equal(fieldOf(replaced), 'value.blockers')
      const large = { more: 'x'.repeat(LIMITS.scratchpad - 500) }
      assert.equal(fieldOf(await expectError('TOO_LARGE', session.updateState(large))), 'scratchpad')
      let deep: unknown = 1
      for (const _ of upTo(98)) deep = [deep]
      await session.updateState({ deep: deep as never })
      await expectError('VALIDATION', session.updateState({ deep: [deep] as never }))
      await expectError('VALIDATION', session.addToState('list', deep as never))
      await expectError('VALIDATION', session.updateState({}, { idempotencyKey: '' }))
      assert.equal((await session.updateState({ deep: null })).version, before.version + 2)
      await session.end()
      for (const call of [
        () => session.updateState({ a: 1 }),
        () => session.replaceState({}),
        () => session.addToState('a', 1),
        () => session.incrementState('a'),
        () => session.passGate(1),
        () => session.takeHandoff(),
      ]) {
        await expectError('SESSION_ENDED', call())
      }
      assert.deepEqual((await session.state()).scratchpad, before.scratchpad)
      assert.deepEqual((await tl.verify(session.id)).differences, [])
    },
  },
  {
    id: 'A13',
    title: 'writes once per idempotency key and always returns the first result',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const once = { idempotencyKey: 'k' }
      const first = await session.incrementState('n', 1, once)
      await session.incrementState('n', 5)
      assert.deepEqual(await session.incrementState('n', 1, once), first)
      assert.equal((await session.state()).scratchpad['n'], 6)
      await expectError('IDEMPOTENCY_MISMATCH', session.incrementState('n', 2, once))
      await expectError('IDEMPOTENCY_MISMATCH', session.updateState({ n: 1 }, once))
      const results = await Promise.all(upTo(10).map(() => session.incrementState('m', 1, { idempotencyKey: 'm' })))
      assert.deepEqual(
        results.map(({ scratchpad }) => scratchpad['m']),
        upTo(10).map(() => 1),
      )
      await session.handoff(
        { to: 'motivator', reason: 'r', context: { key_decisions: ['d'] } },
        { idempotencyKey: 'h' },
      )
      const taken = await session.takeHandoff({ idempotencyKey: 't' })
      assert.deepEqual(taken?.key_decisions, ['d'])
      assert.deepEqual(await session.takeHandoff({ idempotencyKey: 't' }), taken)
      const other: [key: string, first: () => Promise<unknown>, changed: () => Promise<unknown>][] = [
        [
          'g',
          () => session.passGate(1, 'a', { idempotencyKey: 'g' }),
          () => session.passGate(1, 'b', { idempotencyKey: 'g' }),
        ],
        [
          'r',
          () => session.recordTransition({ to: 'coach', reason: 'a' }, { idempotencyKey: 'r' }),
          () => session.recordTransition({ to: 'coach', reason: 'b' }, { idempotencyKey: 'r' }),
        ],
        [
          's',
          () => session.setActiveAgent('motivator', { reason: 'a', idempotencyKey: 's' }),
          () => session.setActiveAgent('motivator', { reason: 'b', idempotencyKey: 's' }),
        ],
        [
          'o',
          () => session.handoff({ to: 'coach', reason: 'a' }, { idempotencyKey: 'o' }),
          () => session.handoff({ to: 'coach', reason: 'a', context: { own: 1 } }, { idempotencyKey: 'o' }),
        ],
        ['c', () => session.clear({ idempotencyKey: 'c' }), () => session.end({ idempotencyKey: 'c' })],
      ]
      for (const [, call, changed] of other) {
        await call()
        const { head } = await session.record()
        await call()
        assert.equal((await session.record()).head, head)
        await expectError('IDEMPOTENCY_MISMATCH', changed())
      }
      await session.end({ idempotencyKey: 'e' })
      assert.equal((await session.end({ idempotencyKey: 'e' })).status.state, 'complete')
      assert.deepEqual(await session.incrementState('n', 1, once), first)
    },
  },
  {
    id: 'A13',
    title: 'passes a gate: writes the event and the entry together',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.passGate(1)
      const { scratchpad } = await session.passGate(2, 'Schema reviewed')
      await session.passGate(2, 'Again')
      assert.deepEqual(scratchpad.validation_gates_passed, [1, 2])
      const events = await session.events({ after: 1 })
      assert.deepEqual(
        events.map(({ type, content }) => [type, type === 'validation_gate' && content]),
        [
          ['validation_gate', events[0]?.content],
          ['state_changed', false],
          ['validation_gate', 'Schema reviewed'],
          ['state_changed', false],
          ['validation_gate', 'Again'],
        ],
      )
      assert.deepEqual(events[2]?.parts, { gate: 2 })
      await expectError('VALIDATION', session.passGate(1.5))
      await expectError('VALIDATION', session.passGate('1' as never))
      await expectError('VALIDATION', session.passGate(1, ''))
    },
  },
  {
    id: 'A13',
    title: 'keeps all concurrent patches, and returns a handoff to one of many concurrent takers',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await Promise.all(upTo(64).map((n) => session.updateState({ [`k${n}`]: n })))
      assert.equal(Object.keys((await session.state()).scratchpad).length, 64)
      await session.replaceState({})
      await session.handoff({ to: 'motivator', reason: 'r' })
      const taken = await Promise.all(upTo(100).map(() => session.takeHandoff()))
      assert.equal(taken.filter((context) => context !== undefined).length, 1)
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A9',
    title: 'keeps 64 patches to different keys from four processes',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const job = { do: 'patch', sessionId: session.id, count: 16 } as const
      const workers = upTo(4).map((n) => startWorker(db.target, { ...job, label: `p${n}` }))
      const keys = (await Promise.all(workers.map(({ done }) => done))).flat() as string[]
      const { scratchpad, version } = await session.state()
      assert.deepEqual(Object.keys(scratchpad).sort(), keys.sort())
      assert.deepEqual([keys.length, version], [64, 64])
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A9',
    title: 'returns a handoff to one of 100 takers from four processes',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', chatmode: 'architect' })
      await session.handoff({ to: 'motivator', reason: 'r' })
      const workers = upTo(4).map(() => startWorker(db.target, { do: 'take', sessionId: session.id, count: 25 }))
      const taken = (await Promise.all(workers.map(({ done }) => done))).flat()
      assert.equal(taken.length, 100)
      assert.deepEqual(
        taken.filter((context) => context !== null),
        [{ from_chatmode: 'architect', artifacts_created: [], key_decisions: [] }],
      )
      assert.deepEqual((await session.state()).scratchpad, {})
      assert.equal(await session.takeHandoff(), undefined)
    },
  },
]
