import type { Principal, Scope } from '../domain/record.ts'

type ScopeInput = Omit<Scope, 'tenant'> & { tenant?: string | undefined }

/** The scope as the server resolves it: without a tenant, the caller's own, or `local` for the operator. */
export function resolveScope(
  principal: Principal | undefined,
  { tenant, userId, chatmode, conversationId }: ScopeInput,
): Scope {
  return { tenant: tenant ?? principal?.tenant ?? 'local', userId, chatmode, conversationId }
}

/** A text that is equal for equal scopes only. */
export function scopeKey({ tenant, userId, chatmode, conversationId }: Scope): string {
  return JSON.stringify([tenant, userId, chatmode, conversationId])
}
