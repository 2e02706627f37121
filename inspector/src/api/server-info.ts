import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { get } from './client.ts'
import { clearUserData, token } from './token.ts'

/** The server's version and agents, and who the caller is. */
export interface ServerInfo {
  readonly version: string
  readonly agents: readonly string[]
  /** Absent for the operator. */
  readonly principal?: { readonly tenant: string; readonly userId?: string }
}

const known = signal<{ readonly token: string; readonly about: ServerInfo } | undefined>(undefined)
let request: { readonly token: string; readonly response: Promise<ServerInfo> } | undefined
/** The caller of the last response. */
let caller: string | undefined

/** Loads the server info once for each token. Drops cached content if the caller has changed. */
export function loadServerInfo(): Promise<ServerInfo> {
  if (request?.token === token.peek()) return request.response
  const own = { token: token.peek(), response: get<ServerInfo>('') }
  request = own
  own.response.then(
    (about) => {
      const now = JSON.stringify(about.principal ?? null)
      if (caller !== undefined && caller !== now) clearUserData()
      caller = now
      known.value = { token: own.token, about }
    },
    () => {
      if (request === own) request = undefined
    },
  )
  return own.response
}

/** The server info for this tab's token; `undefined` until it is loaded. */
export function useServerInfo(): ServerInfo | undefined {
  const own = token.value
  useEffect(() => {
    // views that need it show the problem
    loadServerInfo().catch(() => {})
  }, [own])
  return known.value?.token === own ? known.value.about : undefined
}
