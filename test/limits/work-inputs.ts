import { randomUUID } from 'node:crypto'
import { LIMITS } from '../../src/domain/limits.ts'
import type { EventType, Role, SessionBlock, Throughline } from '../../src/index.ts'
import { isProving } from '../proof.ts'
import { OWNER, REMEMBERING, storeMemories, storeTexts } from './heavy-data.ts'
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
  const everything = isProving ? [{ name: 'all', body: {} }] : []
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
    extractMemories: heavy.copies(['texts', 'calls']),
    recall: [
      ...forTexts(LIMITS.query, (query) => ({ ...OF_OWNER, query, limit: 500 })).slice(0, isProving ? 99 : 2),
      { name: 'memories', body: { userId: REMEMBERING, query: randomWords(4000), kinds: ['memory'], limit: 500 } },
    ],
    indexLogs: [{ name: 'everything of a user', prepare: heavyUser, body: (userId: string) => ({ userId }) }],
    health: [{ name: 'nothing' }],
    sweepSessions: [
      { name: 'long ones that are due', prepare: dueSession },
      { name: 'a list', body: { sessionIds: Array.from({ length: LIMITS.page }, () => randomUUID()) } },
    ],
    verify: [...heavy.each(['large', 'calls', 'work']).map(asBody), ...everything],
    rebuild: [...heavy.each(['large', 'work']).map(asBody), ...everything],
    exportPage: [{ name: 'all', body: {} }, ...heavy.each(['large', 'calls']).map(asBody)],
    importBlocks: [
      {
        name: 'most events',
        prepare: async () => randomUUID(),
        body: (id: string) => ({ blocks: [importedBlock(id)] }),
      },
    ],
    purgeSession: heavy.copies(['large', 'long']),
    purgeUser: [{ name: 'everything of a user', prepare: heavyUser }],
  }
}

/** The session in the body instead of the path. */
function asBody({ name, params }: { name: string; params?: Record<string, string> }) {
  return { name, body: { sessionId: params?.['id'] } }
}

function memoryInputs(): LargeInputs {
  const memories = (count: number, content: (i: number) => string) => (userId: string) =>
    Array.from({ length: count }, (_, i) => ({ userId, content: content(i) }))
  const newUser = async () => randomUUID()
  const average = LIMITS.remember / LIMITS.memories - 10
  return {
    remember: [
      {
        name: 'longest',
        prepare: newUser,
        body: memories(Math.floor(LIMITS.remember / LIMITS.memory), (i) => randomWords(LIMITS.memory - 1, i)),
      },
      {
        name: 'most that are alike',
        prepare: newUser,
        body: memories(LIMITS.memories, (i) => `${randomWords(average - 10)} ${i}`),
      },
    ],
    listMemories: [{ name: 'most', query: { userId: REMEMBERING, limit: '500' } }],
    forgetSource: [{ name: 'longest', query: { userId: REMEMBERING, source: randomWords(LIMITS.name) } }],
    searchMemories: [{ name: 'long', query: { userId: REMEMBERING, query: randomWords(4000), limit: '500' } }],
    searchMemoriesLong: forTexts(LIMITS.query, (query) => ({ userId: REMEMBERING, query, limit: 500 })),
  }
}

/** Makes a user with costly messages and the largest memories. */
async function heavyUser(tl: Throughline): Promise<string> {
  const userId = randomUUID()
  await storeTexts(await tl.sessions.create({ userId }))
  await storeMemories(tl, userId)
  return userId
}

/** Makes a session without activity for months. */
async function dueSession(tl: Throughline): Promise<string> {
  const id = randomUUID()
  await tl.import([importedBlock(id)])
  return id
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
function importedBlock(sessionId: string): SessionBlock {
  const createdAt = '2026-01-31T09:30:00.000Z'
  const start = {
    tenant: 'local',
    userId: OWNER,
    chatmode: 'moved',
    conversationId: 'moved',
    agent: 'coach',
    metadata: {},
  }
  const event = (sequence: number, type: EventType, role: Role, content: string) => ({
    sequence,
    id: randomUUID(),
    type,
    role,
    content,
    createdAt,
  })
  return {
    sessionId,
    events: [
      { ...event(1, 'session_started', 'system', 'Session started'), parts: start },
      ...Array.from({ length: LIMITS.events - 1 }, (_, i) =>
        event(i + 2, 'user_message', 'user', randomWords(14_000, i)),
      ),
    ],
    done: true,
  }
}
