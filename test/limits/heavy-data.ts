import { LIMITS } from '../../src/domain/limits.ts'
import type { EventInput, Session, Throughline } from '../../src/index.ts'
import { amount } from '../proof.ts'
import { ODD_UNITS, oddUnits, randomCharacters, randomWords, run } from './texts.ts'

/** The user that everything heavy belongs to. */
export const OWNER = 'heavy'
/** The user of sessions made for one request, so that recalls of the owner need not index them. */
export const VISITOR = 'visitor'

/** Sessions with the largest data that callers may store. */
export interface HeavyData {
  readonly sessions: {
    /** Tool results of 7 MB. */
    readonly large: string
    /** Messages with as many tool calls as are accepted. */
    readonly calls: string
    /** Texts that are costly to analyze. */
    readonly texts: string
    /** The largest scratchpad, notes and graph. */
    readonly work: string
    /** Many short events: messages, calls, results. */
    readonly long: string
    /** Changes of agents with the longest reasons. */
    readonly reasons: string
  }
  /** A memory with the longest content, and many reports with the longest notes. */
  readonly memoryId: string
}

/** A user with the largest memories, more than a page of them. */
export const REMEMBERING = 'remembering'

export type HeavyName = keyof HeavyData['sessions']

const MB = 1024 * 1024
/** Almost the largest content: what is around it has a place in the same body. */
const LARGE = 7 * MB

/** Stores it through the public API. Each session belongs to a conversation of its name. */
export async function storeHeavyData(tl: Throughline): Promise<HeavyData> {
  const stored = async (conversationId: HeavyName, store: (session: Session) => Promise<void>) => {
    const session = await tl.sessions.create({ userId: OWNER, conversationId })
    await store(session)
    return session.id
  }
  const sessions = {
    large: await stored('large', storeLarge),
    calls: await stored('calls', storeCalls),
    texts: await stored('texts', storeTexts),
    work: await stored('work', storeWork),
    long: await stored('long', storeLong),
    reasons: await stored('reasons', storeReasons),
  }
  await storeWideSessions(tl)
  await storeChildren(tl, sessions.large)
  await storeUsage(tl)
  await storeCommits(tl)
  await storeMemories(tl, REMEMBERING)
  return { sessions, memoryId: await storeMemory(tl) }
}

async function storeLarge(session: Session): Promise<void> {
  await session.append({ type: 'user_message', content: 'Read all files.' })
  for (let i = 0; i < amount(8, 40); i++) {
    const id = `read-${i}`
    await session.append([
      { type: 'tool_call', parts: { id, name: 'read_file', arguments: '{}' } },
      { type: 'tool_result', content: randomCharacters(LARGE, i), parts: { toolCallId: id } },
    ])
  }
}

/** Events with usage, each of another model: as many rows of reports. */
export function manyModels(): EventInput[] {
  return Array.from({ length: LIMITS.events }, (_, i) => ({
    type: 'model_message',
    content: 'Done',
    usage: { model: randomCharacters(LIMITS.model, i), inputTokens: i, outputTokens: 1, costUsd: i / 1000 },
  }))
}

async function storeUsage(tl: Throughline): Promise<void> {
  for (let i = 0; i < amount(12, 100); i++) {
    const session = await tl.sessions.create({ userId: VISITOR, conversationId: `usage-${i}` })
    await session.append(manyModels())
  }
}

async function storeLong(session: Session): Promise<void> {
  for (let batch = 0; batch < amount(4, 100); batch++) {
    await session.append(
      Array.from({ length: LIMITS.events / 4 }, (_, i) => {
        const id = `call-${batch}-${i}`
        return [
          { type: 'user_message', content: `Question ${batch} ${i} ${randomWords(80, i)}` } as const,
          { type: 'tool_call', parts: { id, name: 'search', arguments: '{"query":"x"}' } } as const,
          { type: 'tool_result', content: `Found ${i}`, parts: { toolCallId: id } } as const,
          { type: 'model_message', content: `Answer ${batch} ${i}` } as const,
        ]
      }).flat(),
    )
  }
}

async function storeCalls(session: Session): Promise<void> {
  await session.append({ type: 'user_message', content: 'Do everything at once.' })
  for (let batch = 0; batch < amount(4, 60); batch++) {
    const toolCalls = Array.from({ length: LIMITS.calls }, (_, i) => ({
      id: `${batch}-${i}`,
      name: 'do',
      arguments: `{"text":"${randomWords(batch === 0 ? 4000 : 10, i)}"}`,
    }))
    await session.append({ type: 'model_message', parts: { toolCalls } })
    const results = toolCalls.map(({ id: toolCallId }) => ({
      type: 'tool_result' as const,
      content: 'done',
      parts: { toolCallId },
    }))
    await session.append(results)
  }
}

/** Messages that are costly to analyze; more than a recall returns at once. */
export async function storeTexts(session: Session): Promise<void> {
  for (const [i, [, unit]] of oddUnits().entries()) {
    await session.append({ type: 'user_message', content: run(unit, 64 * 1024) })
    await session.append({ type: 'model_message', content: randomCharacters(64 * 1024, i) })
  }
  await session.append({ type: 'user_message', content: run(ODD_UNITS.accents, LARGE) })
  for (let i = 0; i < amount(1, 4); i++) {
    await session.append({ type: 'model_message', content: randomWords(amount(1, 7) * MB, i) })
  }
}

async function storeWork(session: Session): Promise<void> {
  await session.updateState(Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`key ${i}`, `value ${i}`])))
  for (let i = 0; i < amount(20, 300); i++) await session.incrementState('count')
  for (let batch = 0; batch < amount(2, 20); batch++) {
    for (let i = 0; i < 5; i++) {
      const edges = Array.from({ length: 200 }, (_, n) => ({
        from: n % 2 === 0 ? 'file:hub' : `file:${batch}/${i}/${n}`,
        label: 'imports',
        to: `file:${run('deep/', 380)}${batch}/${n}`,
      }))
      session.observe.relations(edges)
    }
    for (let i = 0; i < 10; i++) session.observe.note(randomWords(LIMITS.note, i))
    await session.flushStep()
  }
}

async function storeReasons(session: Session): Promise<void> {
  for (let i = 0; i < amount(6, 100); i++) {
    await session.recordTransition({
      to: i % 2 === 0 ? 'motivator' : 'coach',
      reason: randomWords(LIMITS.statement, i),
    })
  }
}

/** Sessions with the largest metadata and task, more than a page of them; some ask the longest question. */
async function storeWideSessions(tl: Throughline): Promise<void> {
  const metadata = { kind: 'wide', text: randomWords(LIMITS.metadata - 100) }
  const task = randomWords(LIMITS.task)
  for (let i = 0; i < amount(100, 600); i++) {
    const session = await tl.sessions.create({ userId: OWNER, chatmode: 'wide', metadata, task })
    if (i < amount(6, 100)) await session.ask(randomWords(LIMITS.statement, i))
  }
}

/** Sub-agents with the largest metadata, more than a page of them. */
async function storeChildren(tl: Throughline, sessionId: string): Promise<void> {
  const metadata = { text: randomWords(LIMITS.metadata - 100) }
  for (let i = 0; i < amount(100, 600); i++) {
    await tl.sessions.create({ userId: OWNER, chatmode: `child ${i}`, metadata, parent: { sessionId } })
  }
}

/** Commits with the longest summaries. */
async function storeCommits(tl: Throughline): Promise<void> {
  for (let i = 0; i < amount(6, 100); i++) {
    const session = await tl.sessions.create({ userId: OWNER, chatmode: `commit ${i}`, conversationId: 'commits' })
    await session.end()
    await session.compact(randomWords(LIMITS.statement, i))
  }
}

/** Memories with the longest content and the largest metadata. */
export async function storeMemories(tl: Throughline, userId: string): Promise<void> {
  const metadata = { text: randomWords(LIMITS.metadata - 100) }
  for (let batch = 0; batch < amount(4, 24); batch++) {
    const memories = Array.from({ length: 25 }, (_, i) => ({
      userId,
      content: randomWords(amount(4, 16) * 1024 - 1, batch * 25 + i),
      metadata,
    }))
    await tl.memories.remember(memories)
  }
}

async function storeMemory(tl: Throughline): Promise<string> {
  const { id } = await tl.memories.remember({ userId: OWNER, content: randomWords(LIMITS.memory, 7) })
  for (let i = 0; i < amount(80, 1000); i++) await tl.memories.corroborate(id, { note: randomWords(LIMITS.note, i) })
  return id
}
