import type { WriteOptions } from '../../api.ts'
import { tenantFor } from '../kernel/access.ts'
import type { Deps } from '../kernel/deps.ts'
import { derivedId } from '../kernel/derived-id.ts'
import { parse, writeOptions } from '../kernel/parse.ts'

/**
 * The id derived from an idempotency key for a session created without an id, so that a repeat finds the session of the
 * first call. `undefined` for input that cannot create one: the operation refuses it.
 */
export async function creationId(deps: Deps, given: unknown, key: WriteOptions): Promise<string | undefined> {
  const { idempotencyKey } = parse(writeOptions, key)
  if (idempotencyKey === undefined || typeof given !== 'object' || given === null) return undefined
  const { userId, tenant } = given as { userId?: unknown; tenant?: string }
  if (typeof userId !== 'string') return undefined
  return derivedId(await deps.idSecret(), 'create', tenantFor(deps, tenant), userId, idempotencyKey)
}

/** Like {@link creationId}, for a fork of `source`. */
export async function forkId(deps: Deps, source: string, key: WriteOptions): Promise<string | undefined> {
  const { idempotencyKey } = parse(writeOptions, key)
  return idempotencyKey === undefined ? undefined : derivedId(await deps.idSecret(), 'fork', source, idempotencyKey)
}
