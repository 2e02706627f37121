import assert from 'node:assert/strict'
import type { Session } from '../../api.ts'
import { roundtable } from '../../domain/agents.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { startWorker } from './processes.ts'
import { expectError, fixedClock, NOON, upTo } from './samples.ts'

/** A14 agents. */
export const agentRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A14',
    title: 'switches the agent and records the reason in one event',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock(), agents: roundtable })
      assert.deepEqual(tl.agents, ['coach', 'goalArchitect', 'patternAnalyst', 'motivator', 'accountabilityPartner'])
      const session = await tl.sessions.create({ userId: 'ada' })
      const transition = await session.recordTransition({ to: 'goalArchitect', reason: 'Wants a goal' })
      assert.deepEqual(transition, {
        from: 'coach',
        to: 'goalArchitect',
        reason: 'Wants a goal',
        timestamp: NOON,
        sequence: 2,
      })
      assert.equal((await session.record()).activeAgent, 'goalArchitect')
      assert.equal((await session.record()).head, 2)
      assert.equal((await session.setActiveAgent('motivator')).activeAgent, 'motivator')
      await session.setActiveAgent('motivator')
      await session.setActiveAgent('coach', { reason: 'Back' })
      await session.setActiveAgent('coach', { reason: 'Back again' })
      assert.equal((await session.setActiveAgent('motivator', { from: 'somebody' })).activeAgent, 'coach')
      assert.equal((await session.record()).head, 4)
      assert.deepEqual(
        (await session.transitions()).map(({ from, to }) => [from, to]),
        [
          ['coach', 'goalArchitect'],
          ['motivator', 'coach'],
        ],
      )
      assert.equal((await session.at(2)).record.activeAgent, 'goalArchitect')
      assert.equal((await tl.sessions.list({ agent: 'coach' })).items.length, 1)
    },
  },
  {
    id: 'A14',
    title: 'starts with assistant and accepts any agent id if no agents are registered',
    async check(db) {
      const tl = await db.connect()
      assert.deepEqual(tl.agents, [])
      const session = await tl.sessions.create({ userId: 'ada' })
      assert.equal((await session.record()).activeAgent, 'assistant')
      assert.equal((await session.setActiveAgent('travel planner')).activeAgent, 'travel planner')
      assert.equal((await session.recordTransition({ to: 'booker', reason: 'r' })).from, 'travel planner')
      assert.equal((await session.handoff({ to: 'assistant', reason: 'r' })).from, 'booker')
      await expectError('VALIDATION', session.setActiveAgent(''))
    },
  },
  {
    id: 'A14',
    title: 'accepts only the registered agents',
    async check(db) {
      const tl = await db.connect({ agents: ['planner', 'writer'] })
      const session = await tl.sessions.create({ userId: 'ada', agent: 'somebody' })
      const bad = [
        ['agent', () => session.setActiveAgent('coach')],
        ['to', () => session.recordTransition({ to: 'coach', reason: 'r' })],
        ['to', () => session.handoff({ to: '', reason: 'r' })],
        ['reason', () => session.handoff({ to: 'writer', reason: '' })],
        ['reason', () => session.recordTransition({ to: 'writer' } as never)],
        ['context', () => session.handoff({ to: 'writer', reason: 'r', context: [] as never })],
        ['context', () => session.handoff({ to: 'writer', reason: 'r', context: { key_decisions: 'x' } as never })],
        ['context', () => session.handoff({ to: 'writer', reason: 'r', context: { key_decisions: null } as never })],
        ['context', () => session.handoff({ to: 'writer', reason: 'r', context: { artifacts_created: [1] } as never })],
        ['context.a', () => session.handoff({ to: 'writer', reason: 'r', context: { a: 1n } as never })],
      ] as const
      for (const [field, call] of bad) {
        const error = await expectError('VALIDATION', call())
        assert.equal((error as Error & { field?: string }).field, field)
      }
      assert.equal((await session.record()).head, 1)
      assert.equal((await session.recordTransition({ to: 'writer', reason: 'r' })).from, 'somebody')
      await session.end()
      await expectError('SESSION_ENDED', session.setActiveAgent('planner'))
      await expectError('SESSION_ENDED', session.recordTransition({ to: 'planner', reason: 'r' }))
      await expectError('SESSION_ENDED', session.handoff({ to: 'planner', reason: 'r' }))
    },
  },
  {
    id: 'A14',
    title: 'hands off with a context that replaces an untaken one',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', chatmode: 'architect' })
      await session.handoff({ to: 'motivator', reason: 'one', context: { artifacts_created: ['a'], own: { b: 1 } } })
      assert.deepEqual((await session.state()).scratchpad, {
        handoff_context: { from_chatmode: 'architect', artifacts_created: ['a'], key_decisions: [], own: { b: 1 } },
      })
      const context = { from_chatmode: 'here', artifacts_created: [], key_decisions: ['d'] }
      const handoff = await session.handoff({ to: 'coach', reason: 'two', context })
      assert.deepEqual([handoff.from, handoff.to], ['motivator', 'coach'])
      assert.equal((await session.record()).head, 3)
      assert.deepEqual((await session.state()).version, 2)
      const large = (key: string) => ({ [key]: 'x'.repeat(600_000) })
      await session.handoff({ to: 'coach', reason: 'large', context: large('a') })
      await session.handoff({ to: 'coach', reason: 'large again', context: large('b') })
      await session.handoff({ to: 'coach', reason: 'three', context })
      const { version } = await session.state()
      await session.recordTransition({ to: 'coach', reason: 'four' })
      assert.equal((await session.state()).version, version)
      assert.deepEqual(await session.takeHandoff(), context)
      assert.equal(await session.takeHandoff(), undefined)
      assert.deepEqual((await session.at(3)).state.scratchpad.handoff_context, context)
      assert.deepEqual(await session.state().then(({ scratchpad }) => scratchpad), {})
      assert.deepEqual(
        (await session.transitions()).map(({ reason }) => reason),
        ['one', 'two', 'large', 'large again', 'three', 'four'],
      )
      const [taken] = await session.events({ types: ['handoff_taken'] })
      assert.equal(taken?.agentId, 'coach')
    },
  },
  {
    id: 'A9',
    title: 'records each of 500 transitions from four processes once, with the previous agent as its origin',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const job = { do: 'transition', sessionId: session.id, count: 125 } as const
      const workers = upTo(4).map((n) => startWorker(db.target, { ...job, label: `p${n}` }))
      const sequences = (await Promise.all(workers.map(({ done }) => done))).flat() as number[]
      await expectChain(session, sequences)
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A14',
    title: 'records each of 500 concurrent transitions once, with the previous agent as its origin',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const all = upTo(500).map((n) => session.recordTransition({ to: `agent-${n % 5}`, reason: `${n}` }))
      await expectChain(
        session,
        (await Promise.all(all)).map(({ sequence }) => sequence),
      )
    },
  },
]

/** Expects 500 transitions at these sequences, each with the previous agent as `from`. */
async function expectChain(session: Session, sequences: number[]): Promise<void> {
  const transitions = await session.transitions()
  assert.equal(new Set(transitions.map(({ reason }) => reason)).size, 500)
  assert.deepEqual(
    transitions.map(({ sequence }) => sequence),
    sequences.sort((a, b) => a - b),
  )
  let active = 'assistant'
  for (const { from, to } of transitions) {
    assert.equal(from, active)
    active = to
  }
  assert.equal((await session.record()).activeAgent, active)
}
