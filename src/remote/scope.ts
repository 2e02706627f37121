import type { Principal, Scope } from '../domain/record.ts'

/** What a caller says of a conversation, once it was checked. */
type ScopeInput = Omit<Scope, 'tenant'> & { tenant?: string | undefined }

/** Whose conversation is meant, as the server takes it: where no tenant is named it is the caller's own, or the operator's. */
export function resolveScope(
  principal: Principal | undefined,
  { tenant, userId, chatmode, conversationId }: ScopeInput,
): Scope {
  return { tenant: tenant ?? principal?.tenant ?? 'local', userId, chatmode, conversationId }
}

/** The same text for the same scope, and for no other. */
export function scopeKey({ tenant, userId, chatmode, conversationId }: Scope): string {
  return JSON.stringify([tenant, userId, chatmode, conversationId])
}
