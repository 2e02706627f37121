import { randomUUID } from 'node:crypto'
import { LIMITS } from '../../src/domain/limits.ts'
import { OWNER } from './heavy-data.ts'
import { forNew, forTexts, type HeavySessions, type LargeInputs } from './large-input.ts'
import { randomWords } from './texts.ts'

const OF_OWNER = { userId: OWNER }

/** Of the routes for work, context, memory, recall and maintenance. */
export function workInputs(heavy: HeavySessions, memoryId: string): LargeInputs {
  const onMemory = (name: string, body?: unknown) => ({
    name,
    params: { id: memoryId },
    ...(body !== undefined && { body }),
  })
  const note = randomWords(LIMITS.note)
  return {
    about: [{ name: 'nothing' }],
    flushStep: [
      forNew('most notes', {
        observations: Array.from({ length: 60 }, (_, i) => ({ kind: 'note', text: randomWords(LIMITS.note - 100, i) })),
      }),
      forNew('most edges', { observations: Array.from({ length: 10 }, (_, i) => relations(i)) }),
    ],
    readGraph: [
      heavy.on('work', 'all', { query: { limit: '500', depth: '10' } }),
      heavy.on('work', 'a neighbourhood', { query: { node: 'file:hub', depth: '10', limit: '500' } }),
    ],
    readProgress: heavy.each(['large', 'work']),
    compactSession: heavy.copies(['large', 'texts'], { body: {} }, (session) => session.end()),
    listCommits: [{ name: 'longest', params: { id: 'commits' }, query: { ...OF_OWNER, limit: '500' } }],
    reduceContext: heavy.copies(['large', 'calls', 'texts'], { body: { maxTokens: 8000 } }),
    buildContext: [
      ...heavy.each(['large', 'calls', 'texts'], { body: { maxTokens: 8000, record: false } }),
      ...heavy.each(['calls', 'long'], { body: { maxTokens: 200_000, record: false, format: 'anthropic' } }),
      heavy.on('texts', 'with recall', {
        body: { maxTokens: 32_000, recall: { query: randomWords(LIMITS.query), limit: 100 }, record: false },
      }),
    ],
    ...memoryInputs(),
    getMemory: [onMemory('longest')],
    forgetMemory: [
      forNew('longest', undefined, async (tl) => (await tl.memories.remember({ ...OF_OWNER, content: 'x' })).id),
    ],
    memoryHistory: [onMemory('most notes')],
    corroborateMemory: [onMemory('longest note', { note })],
    contradictMemory: [onMemory('longest note', { note })],
    extractMemories: heavy.each(['texts', 'calls']),
    recall: forTexts(LIMITS.query, (query) => ({ ...OF_OWNER, query, limit: 500 })),
    indexLogs: [{ name: 'everything of a user', body: OF_OWNER }],
    health: [{ name: 'nothing' }],
    sweepSessions: [
      { name: 'all' },
      { name: 'a list', body: { sessionIds: Array.from({ length: LIMITS.page }, () => randomUUID()) } },
    ],
    verify: [{ name: 'all', body: {} }],
    rebuild: [{ name: 'all', body: {} }],
    exportPage: [{ name: 'all', body: {} }, ...heavy.each(['large', 'calls']).map(asBody)],
    importBlocks: [{ name: 'most events', body: { blocks: [importedBlock()] } }],
    purgeSession: heavy.copies(['large', 'long']),
    purgeUser: [{ name: 'everything of a user', params: { id: OWNER } }],
  }
}

/** The session in the body instead of the path. */
function asBody({ name, params }: { name: string; params?: Record<string, string> }) {
  return { name, body: { sessionId: params?.['id'] } }
}

function memoryInputs(): LargeInputs {
  const memories = (userId: string, content: (i: number) => string) =>
    Array.from({ length: LIMITS.memories }, (_, i) => ({ userId, content: content(i) }))
  return {
    remember: [
      { name: 'most and longest', body: memories('many', (i) => randomWords(LIMITS.memory - 1, i)) },
      { name: 'most that are alike', body: memories('alike', (i) => `${randomWords(8000)} ${i}`) },
    ],
    listMemories: [{ name: 'most', query: { userId: 'many', limit: '500' } }],
    forgetSource: [{ name: 'longest', query: { userId: 'alike', source: randomWords(LIMITS.name) } }],
    searchMemories: [{ name: 'long', query: { userId: 'many', query: randomWords(4000), limit: '500' } }],
    searchMemoriesLong: forTexts(LIMITS.query, (query) => ({ userId: 'many', query, limit: 500 })),
  }
}

/** As many edges as one observation holds. */
function relations(i: number) {
  const to = randomWords(150, i).trim().replaceAll(' ', '/')
  const edges = Array.from({ length: LIMITS.events }, (_, n) => ({
    from: `file:${i}/${n}`,
    label: 'imports',
    to: `file:${to}${n}`,
  }))
  return { kind: 'relations', edges }
}

/** A session with as many events as one call accepts, and as large. */
function importedBlock() {
  const createdAt = '2026-01-31T09:30:00.000Z'
  const start = {
    tenant: 'local',
    userId: OWNER,
    chatmode: 'moved',
    conversationId: 'moved',
    agent: 'coach',
    metadata: {},
  }
  const event = (sequence: number, type: string, role: string, content: string) => ({
    sequence,
    id: randomUUID(),
    type,
    role,
    content,
    createdAt,
  })
  return {
    sessionId: randomUUID(),
    events: [
      { ...event(1, 'session_started', 'system', 'Session started'), parts: start },
      ...Array.from({ length: LIMITS.events - 1 }, (_, i) =>
        event(i + 2, 'user_message', 'user', randomWords(14_000, i)),
      ),
    ],
    done: true,
  }
}
