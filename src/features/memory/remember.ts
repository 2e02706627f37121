import { hash } from 'node:crypto'
import type { Remembered, RememberInput, WriteOptions } from '../../api.ts'
import { SessionNotFoundError, TooLargeError, ValidationError } from '../../domain/errors.ts'
import { encodeJson } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { addEvidence, createMemory, isMergeable } from '../../domain/memory/evidence.ts'
import type { Memory, MemoryCategory, MemorySource } from '../../domain/memory/memory.ts'
import { normalizedContent, SimilarityIndex } from '../../domain/memory/similarity.ts'
import type { SourceType } from '../../domain/memory/source-type.ts'
import { analyzeText } from '../../domain/recall/analyze.ts'
import { ANALYSIS_VERSION } from '../../domain/recall/postings.ts'
import type { ExtractionMark, MemoryPut } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { IdempotencyStamp } from '../../ports/session-store.ts'
import { userFor } from '../kernel/access.ts'
import { type Deps, now } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { wanted } from './find-similar.ts'
import { outcomesOf, rememberedBefore, stampOf, unlessDone } from './keys.ts'
import { rememberInput } from './schema.ts'

/** A checked memory to store. */
export type Statement = Omit<RememberInput, 'userId' | 'tenant' | 'expiresInMs' | 'category' | 'sourceType'> & {
  category: MemoryCategory
  sourceType: SourceType
}

/** Stores memories of one user, all or none, and reports what happened to each. */
export async function remember(
  deps: Deps,
  input: RememberInput | readonly RememberInput[],
  options: WriteOptions = {},
): Promise<Remembered | Remembered[]> {
  if (!Array.isArray(input)) {
    const { user, statement, given } = checked(deps, input as RememberInput, '')
    const stamp = stampOf(options, ['remember', given])
    const [kept] = (await keepOnce(deps, user, [statement], stamp)) as [Remembered]
    return kept
  }
  if (input.length === 0) throw new ValidationError('memories', 'must not be empty')
  if (input.length > LIMITS.memories) {
    throw new TooLargeError({ field: 'memories', limit: LIMITS.memories, actual: input.length })
  }
  const all = Array.from(input as readonly RememberInput[], (each, i) => checked(deps, each, `memories[${i}]`))
  const [{ user }] = all as [(typeof all)[number]]
  const other = all.findIndex((each) => each.user.userId !== user.userId || each.user.tenant !== user.tenant)
  if (other > 0) throw new ValidationError(`memories[${other}].userId`, 'must be the same for all memories of one call')
  const statements = all.map(({ statement }) => statement)
  const stamp = stampOf(options, ['remember', all.map(({ given }) => given)])
  return await keepOnce(deps, user, statements, stamp)
}

/** Stores checked memories, once per key. */
async function keepOnce(
  deps: Deps,
  user: UserKey,
  statements: readonly Statement[],
  stamp: IdempotencyStamp | undefined,
): Promise<Remembered[]> {
  const work = async () => (await keep(deps, user, statements, { stamp })) ?? []
  return await unlessDone(deps, stamp, user, work, (response) => rememberedBefore(deps, user, response))
}

/** The output of the schema. */
type Checked = Statement & Pick<RememberInput, 'userId' | 'tenant' | 'expiresInMs'>

/** `at` is the path of the memory in the input, for error messages. `given` is equal for every repeat of the call. */
function checked(
  deps: Deps,
  input: RememberInput,
  at: string,
): { user: UserKey; statement: Statement; given: Omit<Checked, 'userId' | 'tenant'> } {
  const { userId, tenant, expiresInMs, ...given } = parse(rememberInput, input, at) as Checked
  const field = (name: string) => (at === '' ? name : `${at}.${name}`)
  if (given.metadata !== undefined) encodeJson(given.metadata, field('metadata'), LIMITS.metadata)
  if (given.expiresAt !== undefined && expiresInMs !== undefined) {
    throw new ValidationError(field('expiresInMs'), 'must not be combined with expiresAt')
  }
  checkSource(given.source, field('source'))
  const expiresAt = expiresInMs === undefined ? given.expiresAt : new Date(deps.clock.now() + expiresInMs).toISOString()
  return {
    user: userFor(deps, { userId, tenant }),
    statement: { ...given, ...(expiresAt !== undefined && { expiresAt }) },
    given: { ...given, ...(expiresInMs !== undefined && { expiresInMs }) },
  }
}

/** A range needs a session and must go forward. */
export function checkSource(source: MemorySource | undefined, field: string): void {
  const { sessionId, from, to, source: outside } = source ?? {}
  const at = (name: string) => (field === '' ? name : `${field}.${name}`)
  if (sessionId === undefined && (from ?? to) !== undefined) {
    throw new ValidationError(at('sessionId'), 'is required with from and to')
  }
  if (sessionId !== undefined && outside !== undefined) {
    throw new ValidationError(at('source'), 'must not be combined with sessionId: a memory has one origin')
  }
  if (from !== undefined && to !== undefined && from > to) {
    throw new ValidationError(at('to'), 'must not be below from')
  }
}

/** Stores checked memories. With a mark: `undefined` if another process read those events first. */
export async function keep(
  deps: Deps,
  user: UserKey,
  statements: readonly Statement[],
  { mark, stamp }: { mark?: ExtractionMark; stamp?: IdempotencyStamp | undefined } = {},
): Promise<Remembered[] | undefined> {
  const sources = statements.map(({ source }) => source)
  await requireSessions(deps, user, sources)
  const at = now(deps)
  let kept: Remembered[] = []
  const { outcome, response } = await deps.store.memories.change({
    ...user,
    at,
    ids: await wanted(deps, user, statements),
    fingerprints: statements.filter(({ id }) => id === undefined).map(fingerprintOf),
    sessions: sessionsOf(sources),
    ...(mark !== undefined && { mark }),
    ...(stamp !== undefined && { idempotency: stamp }),
    decide(found) {
      const writing = new Writing(found)
      kept = statements.map((statement) => stated(deps, writing, user, statement, at))
      return { puts: writing.puts(), response: outcomesOf(kept) }
    },
  })
  if (response !== undefined) return await rememberedBefore(deps, user, response)
  if (outcome === 'written') return kept
  if (mark === undefined) throw gone(sources)
  return undefined
}

/** The candidate memories, with the changes to write. */
export class Writing {
  readonly #memories = new Map<string, Memory>()
  readonly #sayings = new SimilarityIndex<string>()
  readonly #puts = new Map<string, MemoryPut>()

  constructor(found: readonly Memory[]) {
    // sorted, so that of two equal memories every store picks the same
    for (const memory of found.toSorted((a, b) => (a.id < b.id ? -1 : 1))) this.#hold(memory)
  }

  get(id: string): Memory | undefined {
    return this.#memories.get(id)
  }

  /** The memory that equals a statement, but is not `other`. */
  same(statement: Statement, at: string, other?: string): Memory | undefined {
    for (const id of this.#sayings.findSimilar(statement.content)) {
      const memory = this.#memories.get(id)
      if (memory !== undefined && id !== other && isMergeable(memory, statement, at)) return memory
    }
    return undefined
  }

  put(put: MemoryPut): void {
    const { id } = put.memory
    const before = this.#puts.get(id)
    this.#hold(put.memory)
    this.#puts.set(id, { ...before, ...put, changes: [...(before?.changes ?? []), ...(put.changes ?? [])] })
  }

  puts(): MemoryPut[] {
    return [...this.#puts.values()]
  }

  /** The content of a memory never changes, so it is analysed once. */
  #hold(memory: Memory): void {
    if (!this.#memories.has(memory.id)) this.#sayings.add(memory.content, memory.id)
    this.#memories.set(memory.id, memory)
  }
}

/** Turns a statement into a new memory, or finds the existing one that is not `other`. */
export function stated(
  deps: Deps,
  writing: Writing,
  user: UserKey,
  statement: Statement,
  at: string,
  other?: string,
): Remembered {
  const { id, source, confidence, ...rest } = statement
  const known = id === undefined ? undefined : writing.get(id)
  if (known !== undefined) {
    if (known.content === statement.content) return { ...known, outcome: 'unchanged' }
    throw new ValidationError('id', 'belongs to a memory with different content')
  }
  const same = id === undefined ? writing.same(statement, at, other) : undefined
  if (same !== undefined) {
    const { sourceType } = statement
    const { memory: heard, change } = addEvidence(same, 'corroborates', { at, source, sourceType, kind: 'merged' })
    const memory = lasting(heard, statement.expiresAt)
    if (change !== undefined || memory !== heard) writing.put({ memory, changes: change === undefined ? [] : [change] })
    return { ...memory, outcome: 'merged' }
  }
  const { tenant, userId } = user
  const made = { ...rest, id: id ?? deps.newId(), tenant, userId, createdAt: at }
  const { memory, change } = createMemory(
    { ...made, ...(confidence !== undefined && { confidence }) } as Memory,
    source,
  )
  const words = { description: analyzeText(memory.content), version: ANALYSIS_VERSION }
  writing.put({ memory, changes: [change], words, fingerprint: fingerprintOf(memory) })
  return { ...memory, outcome: 'created' }
}

/** The memory with the later of two expiry times; none if either has none. */
function lasting(memory: Memory, expiresAt: string | undefined): Memory {
  if (memory.expiresAt === undefined || (expiresAt !== undefined && expiresAt <= memory.expiresAt)) return memory
  const { expiresAt: _, ...rest } = memory
  return { ...rest, ...(expiresAt !== undefined && { expiresAt }) }
}

/** Equal for statements of the same meaning in the same scope. */
export function fingerprintOf({ content, scope }: { content: string; scope?: string | undefined }): string {
  return hash('sha256', JSON.stringify([scope ?? null, normalizedContent(content)]), 'base64url')
}

/** Throws unless the named sessions exist and belong to the same user. */
export async function requireSessions(
  deps: Deps,
  user: UserKey,
  sources: readonly (MemorySource | undefined)[],
): Promise<void> {
  for (const sessionId of sessionsOf(sources)) {
    const view = await deps.store.load({ sessionId, within: user })
    if (view === undefined) throw new SessionNotFoundError(sessionId)
    const { head } = view.record
    const beyond = sources.find((source) => source?.sessionId === sessionId && (source.to ?? source.from ?? 0) > head)
    if (beyond !== undefined)
      throw new ValidationError('source.to', `must be at most ${head}, the last event of the session`)
  }
}

export function sessionsOf(sources: readonly (MemorySource | undefined)[]): string[] {
  return [...new Set(sources.flatMap((source) => source?.sessionId ?? []))]
}

/** The error for a session that was purged meanwhile. */
export function gone(sources: readonly (MemorySource | undefined)[]): SessionNotFoundError {
  return new SessionNotFoundError(sessionsOf(sources)[0] ?? '')
}
