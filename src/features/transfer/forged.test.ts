import fc from 'fast-check'
import { expect, it } from 'vitest'
import { amount } from '../../../test/proof.ts'
import type { ExportedEvent, Session } from '../../api.ts'
import { RECORDED_TYPES } from '../../domain/event.ts'
import { uuid7 } from '../../ids.ts'
import { open } from '../../open/open.ts'

const AT = '2026-03-01T12:00:00.000Z'

/** Whole parts of each type: what is forged is like one of them but for a field or two. */
const WHOLE: Record<string, object> = {
  session_started: { tenant: 'local', userId: 'ada', chatmode: 'd', conversationId: 'c', agent: 'coach', metadata: {} },
  session_forked: {
    from: { sessionId: uuid7(), sequence: 1 },
    conversationId: 'c2',
    chatmode: 'd',
    metadata: { a: 1 },
  },
  status_changed: { status: { state: 'pending_complete', summary: 'done' } },
  messages_cleared: {},
  state_changed: { op: 'add', key: 'a', value: 1 },
  agent_changed: { from: 'coach', to: 'motivator' },
  agent_transition: { from: 'coach', to: 'motivator', context: { key_decisions: ['a'] } },
  handoff_taken: { context: {} },
  work_committed: {
    id: 'w1',
    parents: [],
    kind: 'step',
    observations: [
      { kind: 'note', id: 'n', text: 'Decision: tea' },
      { kind: 'relations', edges: [{ from: 'file:a', label: 'imports', to: 'file:b', evidence: {} }] },
    ],
    state: 'running',
  },
  session_compacted: {
    id: uuid7(),
    position: 1,
    kind: 'normal',
    decisions: [],
    filesRead: [],
    filesWritten: [{ path: 'a', bytes: 1 }],
    commands: [{ command: 'ls', exitCode: 0 }],
    openQuestions: [],
    range: { from: 1, to: 1 },
    hash: 'h',
  },
  context_summarized: { range: { from: 1, to: 1 }, hash: 'h' },
  envelope_updated: { personaId: 'p', metadata: { a: null }, analysis: { tags: ['x'] } },
}

const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    -1,
    1.5,
    1e308,
    '',
    'running',
    'aborted',
    'merge',
    'replace',
    'increment',
    true,
    [],
    {},
    [[]],
    AT,
    uuid7(),
  ),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(
    { state: 'complete' },
    { state: 'aborted', reason: 'r' },
    { from: 9, to: 1 },
    { blockers: ['a'] },
  ),
)

/** The parts with some fields taken away, put in, or put in the place of others, at any depth. */
const forged = (parts: object) =>
  fc.array(fc.tuple(fc.nat(), junk, fc.constantFrom('put', 'drop', 'add')), { maxLength: 3 }).map((changes) => {
    const copy = structuredClone(parts) as Record<string, unknown>
    for (const [at, value, how] of changes) {
      const holders = holdersIn(copy)
      const holder = holders[at % holders.length] as Record<string, unknown>
      const key = Object.keys(holder)[at % Math.max(1, Object.keys(holder).length)] ?? 'key'
      if (how === 'drop') delete holder[key]
      else holder[how === 'put' ? key : (KEYS[at % KEYS.length] as string)] = structuredClone(value)
    }
    return copy
  })

const KEYS = [
  'id',
  'userId',
  'status',
  'value',
  'patch',
  'by',
  'context',
  'metadata',
  'endedAt',
  'whole',
  'commits',
  'key',
]

function holdersIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(holdersIn)]
}

const later = fc
  .constantFrom(
    ...Object.keys(RECORDED_TYPES).filter((type) => type !== 'session_started'),
    'user_message',
    'tool_call',
  )
  .chain((type) =>
    fc.record({
      type: fc.constant(type),
      parts: fc.oneof({ weight: 5, arbitrary: forged(WHOLE[type] ?? {}) }, { weight: 1, arbitrary: junk }),
    }),
  )

/** Everything that reads what events hold. */
async function readAll(session: Session): Promise<void> {
  const { status, endedAt } = await session.record()
  await session.state()
  await session.envelope()
  await session.events()
  await session.recent()
  await session.messages()
  await session.transitions()
  await session.graph()
  await session.progress()
  await session.context({ maxTokens: 1000, record: false })
  await session.at(1)
  if (endedAt !== undefined) await session.compact()
  else await session.append({ type: 'user_message', content: `after ${status.state}` })
  if (endedAt === undefined) await session.updateState({ mine: 1 })
}

it('whatever comes in is refused by its field, or else every reader can go by it', { timeout: 600_000 }, async () => {
  const tokenizer = { name: 'characters', count: (text: string) => text.length }
  const tl = await open({ url: 'memory:', index: false, tokenizer })
  const seen = { taken: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(
      forged(WHOLE['session_started'] as object),
      fc.array(later, { maxLength: 6 }),
      async (first, rest) => {
        const sessionId = uuid7()
        const events = [{ type: 'session_started', parts: first }, ...rest].map(
          ({ type, parts }, i) =>
            ({
              sequence: i + 1,
              id: uuid7(),
              type,
              role: 'system',
              content: 'c',
              parts,
              createdAt: AT,
            }) as ExportedEvent,
        )
        const { created, refused } = await tl.import([{ sessionId, events, done: true }])
        seen[created === 1 ? 'taken' : 'refused']++
        if (created === 0) {
          expect(refused[0]?.code).toMatch(/^(VALIDATION|TOO_LARGE|SESSION_ACTIVE|IMPORT_CONFLICT)$/)
          // found by the schemas, before anything was folded
          expect(refused[0]?.message).not.toContain('cannot be read')
          return
        }
        await readAll(await tl.sessions.get(sessionId))
        const { differences } = await tl.verify(sessionId)
        // the hashes are made up
        expect(differences.filter(({ field }) => field !== 'log.hash')).toEqual([])
        await tl.sessions.purge(sessionId)
      },
    ),
    { numRuns: amount(500, 20_000) },
  )
  expect(seen.taken).toBeGreaterThan(20)
  expect(seen.refused).toBeGreaterThan(50)
  await tl.close()
})
