import { hash } from 'node:crypto'
import type { Remembered, WriteOptions } from '../../api.ts'
import { MemoryNotFoundError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Memory } from '../../domain/memory/memory.ts'
import type { Principal } from '../../domain/record.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { IdempotencyStamp } from '../../ports/session-store.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { memoryPages } from './read.ts'

/**
 * How long keys are kept at least, in milliseconds. Retries come within minutes, and clients send a key with every
 * write.
 */
const KEPT = 7 * 24 * 3600_000

/** The key of a call, if it has one, with a hash of the call and its parsed arguments. */
export function stampOf(options: WriteOptions, command: readonly unknown[]): IdempotencyStamp | undefined {
  const { idempotencyKey: key } = parse(writeOptions, options)
  return key === undefined ? undefined : { key, fingerprint: hash('sha256', JSON.stringify(command), 'base64url') }
}

/**
 * Runs the work. If it is refused although the key is known, it was done before and what it needs is gone since: then
 * `again` rebuilds the result from the stored one.
 */
export async function unlessDone<T>(
  deps: Deps,
  stamp: IdempotencyStamp | undefined,
  within: Principal | undefined,
  work: () => Promise<T>,
  again: (response: string) => T | Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const response = stamp && (await deps.store.memories.findResponse(stamp, within))
    if (response === undefined) throw error
    return await again(response)
  }
}

/** The part of a result that is stored: no content, so that nothing outlives the memories. */
export function outcomesOf(memories: readonly Remembered[]): string {
  return JSON.stringify(memories.map(({ id, outcome }) => [id, outcome]))
}

/** The same memories as they are now, without deleted ones. Throws `MEMORY_NOT_FOUND` if none is left. */
export async function rememberedBefore(deps: Deps, user: UserKey, response: string): Promise<Remembered[]> {
  const outcomes = JSON.parse(response) as [id: string, outcome: Remembered['outcome']][]
  const ids = [...new Set(outcomes.map(([id]) => id))]
  const found = new Map<string, Memory>()
  for await (const page of memoryPages(deps, user, ids)) for (const memory of page) found.set(memory.id, memory)
  if (found.size === 0) throw new MemoryNotFoundError(ids[0] ?? '')
  return outcomes.flatMap(([id, outcome]) => {
    const memory = found.get(id)
    return memory === undefined ? [] : [{ ...memory, outcome }]
  })
}

/** Removes keys that are too old to be repeated, of everyone the caller may see. */
export async function forgetOldKeys(deps: Deps): Promise<void> {
  const before = new Date(deps.clock.now() - KEPT).toISOString()
  while ((await deps.store.memories.forgetKeys(before, LIMITS.page, deps.within)) === LIMITS.page);
}
