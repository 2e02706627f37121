import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../../../test/proof.ts'
import type { Session, Throughline } from '../../api.ts'
import type { EventType } from '../../domain/event.ts'
import { evolve, type SessionView } from '../../domain/fold.ts'
import { MAX_HIDDEN, restoredFrom } from '../../domain/rewind.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import type { Store } from '../../ports/store.ts'
import { fixedClock, NOON, noonPlus, someEvent } from '../../stores/conformance/samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'
import { sessionEvent } from '../kernel/stored-event.ts'

async function withSession(work: (session: Session, tl: Throughline, store: Store) => Promise<void>): Promise<void> {
  const store = memoryStore(uuid7)
  const tl = openOn(store, { index: false, clock: fixedClock() })
  try {
    await work(await tl.sessions.create({ userId: 'ada' }), tl, store)
  } finally {
    await tl.close()
  }
}

/** Writes one of our own events with the views that it leads to. */
async function write(
  store: Store,
  { id }: Session,
  type: EventType,
  parts: object,
  more: Partial<SessionView> = {},
): Promise<void> {
  const event = someEvent('?', type, { role: 'system', parts: JSON.stringify(parts) })
  await store.decide({
    sessionId: id,
    at: NOON,
    decide(view) {
      const stored = { ...event, sequence: view.record.head + 1, createdAt: NOON }
      return { events: [event], view: { ...evolve(view, sessionEvent(id, stored)), ...more } }
    },
  })
}

/** What a rewind restores, as the property compares it. */
interface Model {
  line: number[]
  scratchpad: unknown
  state: string
  agent: string
  clearedAt: number
  requests: readonly string[]
}

const modelOf = ({ record, state, clearedAt, requests = [] }: SessionView): Omit<Model, 'line'> => ({
  scratchpad: state.scratchpad,
  state: record.status.state,
  agent: record.activeAgent,
  clearedAt,
  requests: requests.map(({ id }) => id),
})

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('user', 'assistant') },
    { weight: 6, arbitrary: fc.constantFrom('state', 'clear', 'agent', 'ask', 'answer', 'request', 'resolve') },
    { weight: 4, arbitrary: fc.nat(1000) },
    { weight: 1, arbitrary: fc.nat(1000).map((place) => ({ replace: place })) },
  ),
  { minLength: 1, maxLength: 40 },
)

describe('any mix of writes and rewinds', () => {
  it('leaves the views and messages of the naive model', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (chosen) => {
        await withSession(async (session, tl, store) => {
          const key = { sessionId: session.id }
          const load = async () => (await store.load(key)) as SessionView
          const models: Model[] = [undefined as never, { line: [1], ...modelOf(await load()) }]
          const headNow = () => models.length - 1

          /** Extends the model: each new event follows the last one, a rewind its target. */
          const follow = async (target?: number) => {
            const view = await load()
            const events = await session.events({ after: headNow(), limit: 500 })
            for (const { sequence, type } of events) {
              const previous = models[type === 'rewound' ? (target ?? 0) : sequence - 1] as Model
              models.push({ ...modelOf(view), line: [...previous.line, sequence] })
            }
            if (target === undefined) return
            const restored = models[target] as Model
            const { line: _line, ...expected } = restored
            // the target is followed by the rewind alone, or by it and a message, which changes no other view
            expect(modelOf(view)).toEqual(expected)
          }

          for (const [n, step] of chosen.entries()) {
            const { record } = await load()
            if (typeof step === 'number') {
              const to = 1 + (step % record.head)
              await session.rewind({ to })
              await follow(to === record.head ? undefined : to)
            } else if (typeof step === 'object') {
              const messages = await session.events({ limit: 500, types: ['user_message', 'model_message'] })
              const { sequence } = messages[step.replace % Math.max(1, messages.length)] ?? {}
              if (sequence === undefined) continue
              await session.replaceMessage(sequence, { role: 'user', content: `edit ${n}` })
              await follow(sequence - 1)
            } else {
              await apply(store, session, step, n, record.status.state)
              await follow()
            }
          }

          const view = await load()
          const last = models.at(-1) as Model
          expect(modelOf(view)).toEqual(modelOf({ ...view, clearedAt: last.clearedAt }))
          const log = await session.events({ limit: 500 })
          const isMessage = (type: string) => type === 'user_message' || type === 'model_message'
          const visible = log.filter(({ sequence, type }) => {
            return last.line.includes(sequence) && sequence > last.clearedAt && isMessage(type)
          })
          const contents = visible.map(({ content }) => content)
          expect((await session.messages()).map(({ content }) => content)).toEqual(contents)
          const { events } = await session.recent({ maxTurns: 100 })
          expect(events.map(({ sequence }) => sequence)).toEqual(visible.map(({ sequence }) => sequence))
          const context = await session.context({ maxTokens: 1_000_000 })
          const told = context.messages.filter(({ role }) => role !== 'system').map(({ content }) => content)
          expect(told).toEqual(contents)
          for (const { from, to } of await session.branches({ limit: 500 })) {
            expect(last.line).not.toContain(to)
            expect(last.line.findLast((sequence) => models[to]?.line.includes(sequence))).toBe(from)
          }
          for (const sequence of [1, Math.ceil(headNow() / 2), headNow()]) {
            const { state, record } = await session.at(sequence)
            const at = models[sequence] as Model
            expect([state.scratchpad, record.status.state, record.activeAgent]).toEqual([
              at.scratchpad,
              at.state,
              at.agent,
            ])
          }
          expect((await tl.verify()).differences).toEqual([])
        })
      }),
      { numRuns: amount(60, 2000) },
    )
  })
})

async function apply(store: Store, session: Session, step: string, n: number, state: string): Promise<void> {
  switch (step) {
    case 'user':
    case 'assistant':
      await session.addMessage({ role: step, content: `${step} ${n}` })
      break
    case 'state':
      await session.updateState({ at: n })
      break
    case 'clear':
      await session.clear()
      break
    case 'agent':
      await session.setActiveAgent(`agent ${n % 3}`)
      break
    case 'ask':
      if (state === 'running') await write(store, session, 'status_changed', { status: awaiting(n) })
      break
    case 'answer':
      if (state === 'awaiting_user') await write(store, session, 'status_changed', { status: { state: 'running' } })
      break
    case 'request':
      await write(store, session, 'request_opened', { id: `r${n}`, kind: 'approval' })
      break
    default: {
      const { requests = [] } = (await store.load({ sessionId: session.id })) as SessionView
      const [first] = requests
      if (first !== undefined) await write(store, session, 'request_resolved', { id: first.id, value: true })
    }
  }
}

const awaiting = (n: number) => ({ state: 'awaiting_user', question: `what ${n}?`, askedAt: NOON })

describe('a live run', () => {
  const started = (store: Store, session: Session, leaseUntil: string) =>
    write(store, session, 'run_started', { runId: uuid7(), generation: 1, worker: 'w', turns: 0 }, { leaseUntil })

  it('of another worker blocks rewinds and replaced messages until its lease expires', async () => {
    await withSession(async (session, _tl, store) => {
      await session.addMessage({ role: 'user', content: 'hi' })
      await started(store, session, noonPlus(1))
      const message = { role: 'user', content: 'hello' } as const
      await expect(session.rewind({ to: 1 })).rejects.toMatchObject({ code: 'RUN_ACTIVE', details: { worker: 'w' } })
      await expect(session.replaceMessage(2, message)).rejects.toMatchObject({ code: 'RUN_ACTIVE' })
      expect((await session.record()).head).toBe(3)
    })
    await withSession(async (session, _tl, store) => {
      await started(store, session, NOON)
      expect((await session.rewind({ to: 1 })).run?.generation).toBe(1)
    })
  })

  it('may rewind its own session, and is told if it is over', async () => {
    await withSession(async (session) => {
      const run = await session.run()
      await run.addMessage({ role: 'user', content: 'hi' })
      expect((await run.rewind({ to: 1 })).run?.generation).toBe(1)
      await run.replaceMessage(3, { role: 'user', content: 'hello' })
      await run.finish()
      await expect(run.rewind({ to: 1 })).rejects.toMatchObject({ code: 'RUN_LOST' })
    })
  })
})

describe('limits', () => {
  it('refuses more hidden ranges than a session may have; a rewind further back makes room', async () => {
    await withSession(async (session, _tl, store) => {
      // every second event is hidden
      const message = { role: 'user', content: 'hi' } as const
      for (let n = 0; n < 3; n++) await session.addMessage(Array.from({ length: 700 }, () => message))
      const hidden = Array.from({ length: MAX_HIDDEN - 1 }, (_, i) => [2 * i + 2, 2 * i + 2])
      const restored = { ...restoredFrom((await store.load({ sessionId: session.id })) as SessionView), hidden }
      await write(store, session, 'rewound', { to: 2050, restored })
      const [last] = await session.addMessage([message, message])
      const refused = { code: 'TOO_LARGE', details: { field: 'to', limit: MAX_HIDDEN } }
      await expect(session.rewind({ to: last?.sequence ?? 0 })).rejects.toMatchObject(refused)
      expect(await session.messages()).toHaveLength(2050 - MAX_HIDDEN + 2)
      await session.rewind({ to: 1000 })
      expect(await session.messages()).toHaveLength(999)
    })
  })

  it('restores what nests as deep as a scratchpad and a request may, and exports it', async () => {
    await withSession(async (session, tl, store) => {
      const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
      await session.replaceState(nested(99))
      await write(store, session, 'request_opened', { id: 'r', kind: 'approval', schema: nested(99) })
      const { scratchpad } = await session.state()
      await session.replaceState({})
      await session.rewind({ to: 3 })
      expect((await session.state()).scratchpad).toEqual(scratchpad)
      await withSession(async (_other, there) => {
        const report = await there.import(tl.export())
        expect(report.refused).toEqual([])
        expect((await there.verify()).differences).toEqual([])
      })
    })
  })
})
