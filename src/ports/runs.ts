import type { Principal } from '../domain/record.ts'
import type { SessionKey } from './session-store.ts'

export interface RenewRequest extends SessionKey {
  readonly generation: number
  readonly at: string
  readonly until: string
}

export interface ClaimQuery {
  readonly at: string
  readonly within?: Principal
  readonly chatmode?: string
  /** Active agents. */
  readonly agents?: readonly string[]
  /** The tenant that had its turn last. */
  readonly after?: string
  readonly tenants: number
  /** Sessions of each tenant. */
  readonly limit: number
}

export interface ClaimableSession {
  readonly sessionId: string
  readonly tenant: string
  readonly dueAt: string
}

export interface AskingQuery {
  readonly tenant: string
  readonly userId?: string
  readonly status: 'open' | 'any'
  readonly cursor?: { readonly requestsAt: string; readonly id: string }
  readonly limit: number
}

export interface AskingSession {
  readonly sessionId: string
  readonly requestsAt: string
}
