import type { Remembered, RememberInput, WriteOptions } from '../../api.ts'
import { SessionNotFoundError, TooLargeError, ValidationError } from '../../domain/errors.ts'
import { encodeJson } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { MemorySource } from '../../domain/memory/memory.ts'
import type { ExtractionMark } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { IdempotencyStamp } from '../../ports/session-store.ts'
import { userFor } from '../kernel/access.ts'
import { type Deps, now } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { Comparison } from './comparison.ts'
import { indexMemories, MAX_TERMS } from './index-memories.ts'
import { outcomesOf, rememberedBefore, stampOf, unlessDone } from './keys.ts'
import { rememberInput } from './schema.ts'
import { fingerprintOf, type Statement, stated, Writing } from './writing.ts'

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
  const actual = all.reduce((sum, { size }) => sum + size, 0)
  if (actual > LIMITS.remember) throw new TooLargeError({ field: 'memories', limit: LIMITS.remember, actual })
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

/**
 * `at` is the path of the memory in the input, for error messages. `given` is equal for every repeat of the call.
 * `size` counts the characters of content and metadata.
 */
function checked(
  deps: Deps,
  input: RememberInput,
  at: string,
): { user: UserKey; statement: Statement; given: Omit<Checked, 'userId' | 'tenant'>; size: number } {
  const { userId, tenant, expiresInMs, ...given } = parse(rememberInput, input, at) as Checked
  const field = (name: string) => (at === '' ? name : `${at}.${name}`)
  const { content, metadata } = given
  const encoded = metadata === undefined ? '' : encodeJson(metadata, field('metadata'), LIMITS.metadata)
  if (given.expiresAt !== undefined && expiresInMs !== undefined) {
    throw new ValidationError(field('expiresInMs'), 'must not be combined with expiresAt')
  }
  checkSource(given.source, field('source'))
  const expiresAt = expiresInMs === undefined ? given.expiresAt : new Date(deps.clock.now() + expiresInMs).toISOString()
  return {
    user: userFor(deps, { userId, tenant }),
    statement: { ...given, ...(expiresAt !== undefined && { expiresAt }) },
    given: { ...given, ...(expiresInMs !== undefined && { expiresInMs }) },
    size: content.length + encoded.length,
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
  const named = statements.flatMap(({ id }) => id ?? [])
  const comparison = await Comparison.of(deps, user, statements, named)
  // one memory is one write anyway
  const isIndexedLater = statements.length > 1 && comparison.terms > MAX_TERMS
  const at = now(deps)
  let kept: Remembered[] = []
  const { outcome, response } = await comparison.within(() =>
    deps.store.memories.change({
      ...user,
      at,
      ids: [...new Set([...named, ...comparison.similar])],
      fingerprints: statements.flatMap(({ id, scope }, i) =>
        id === undefined ? fingerprintOf(comparison.analysis(i), scope) : [],
      ),
      sessions: sessionsOf(sources),
      ...(mark !== undefined && { mark }),
      ...(stamp !== undefined && { idempotency: stamp }),
      decide(found) {
        const writing = new Writing(found, comparison, !isIndexedLater)
        kept = statements.map((statement, i) => stated(deps, writing, user, statement, i, at))
        return { puts: writing.puts(), response: outcomesOf(kept) }
      },
    }),
  )
  if (response !== undefined) return await rememberedBefore(deps, user, response)
  if (outcome === 'written') {
    if (isIndexedLater) await indexMemories(deps, user)
    return kept
  }
  if (mark === undefined) throw gone(sources)
  return undefined
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
