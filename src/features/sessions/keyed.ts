import type { ForkOptions, WriteOptions } from '../../api.ts'
import { tenantFor } from '../access.ts'
import { type Deps, keyOf } from '../deps.ts'
import { keyedId } from '../keyed-id.ts'
import { parse, writeOptions } from '../parse.ts'

/**
 * What to create a session with, of what came in. A key gives it an id, unless it has one: so a repeat finds the session that the
 * first call made. What cannot be created is left as it is, for the operation to refuse.
 */
export function keyedCreation(deps: Deps, given: unknown, key: WriteOptions): unknown {
  const { idempotencyKey } = parse(writeOptions, key)
  if (idempotencyKey === undefined || typeof given !== 'object' || given === null) return given
  const { id, userId, tenant } = given as { id?: unknown; userId?: unknown; tenant?: string }
  if (id !== undefined || typeof userId !== 'string') return given
  return { ...given, id: keyedId('create', tenantFor(deps, tenant), userId, idempotencyKey) }
}

/** The same for a fork of `source`. A repeat copies as far as the first call did, however the source went on since. */
export async function keyedFork(
  deps: Deps,
  source: string,
  given: ForkOptions | undefined,
  key: WriteOptions,
): Promise<ForkOptions | undefined> {
  const { idempotencyKey } = parse(writeOptions, key)
  if (idempotencyKey === undefined || given?.id !== undefined) return given
  const id = keyedId('fork', source, idempotencyKey)
  const at = (await deps.store.load(keyOf(deps, id)))?.record.forkedFrom?.sequence
  return { ...(at !== undefined && { at }), ...given, id }
}
