import { z } from 'zod/mini'
import { ValidationError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isWithin, type Principal } from '../../domain/record.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { Deps } from './deps.ts'
import { name, parse, schema, tenantName, text } from './parse.ts'

const principal = schema(() =>
  z.strictObject({
    tenant: tenantName(),
    userId: z.optional(name()),
    issuer: z.optional(name()),
    scope: z.optional(text(LIMITS.note)),
  }),
)

/** The given tenant, else the caller's own, else the operator's default. */
export function tenantFor(deps: Deps, given: string | undefined): string {
  return given ?? deps.within?.tenant ?? 'local'
}

/** Throws unless the caller is the operator. */
export function requireOperator({ within }: Deps): void {
  if (within === undefined) return
  throw new ValidationError(
    'principal',
    'must be the operator: open the store directly or, on a server, use a token with the scope throughline:operator',
  )
}

/** Throws unless the caller may act for this owner. */
export function requireOwn(deps: Deps, owner: { tenant: string; userId: string }): void {
  if (isWithin(owner, deps.within)) return
  const field = owner.tenant === deps.within?.tenant ? 'userId' : 'tenant'
  throw new ValidationError(field, 'must be your own')
}

/** The user, if the caller may act for them. */
export function userFor(deps: Deps, { userId, tenant }: { userId: string; tenant?: string | undefined }): UserKey {
  const user = { tenant: tenantFor(deps, tenant), userId }
  requireOwn(deps, user)
  return user
}

/** The same dependencies for a caller who sees less. A restricted caller can narrow further, never widen. */
export function restricted(deps: Deps, input: Principal): Deps {
  const within = narrowed(deps.within, input)
  return { ...deps, within, ...(deps.storeFor !== undefined && { store: deps.storeFor(within) }) }
}

/** The principal narrowed to the input; throws if that would widen it. */
export function narrowed(within: Principal | undefined, input: Principal): Principal {
  const { tenant, userId, issuer, scope } = parse(principal, input)
  // a user id that is undefined by mistake must not come to mean every user
  if (userId === undefined && 'userId' in input) throw new ValidationError('userId', 'must be the id of a user')
  if (within !== undefined && within.tenant !== tenant) throw new ValidationError('tenant', 'must be your own')
  if (within?.userId !== undefined && within.userId !== userId) throw new ValidationError('userId', 'must be your own')
  return {
    tenant,
    ...(userId !== undefined && { userId }),
    ...(issuer !== undefined && { issuer }),
    ...(scope !== undefined && { scope }),
    // narrowing never replaces the token's issuer or scope
    ...(within?.issuer !== undefined && { issuer: within.issuer }),
    ...(within?.scope !== undefined && { scope: within.scope }),
  }
}
