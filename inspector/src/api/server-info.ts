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
let asked: { readonly token: string; readonly answer: Promise<ServerInfo> } | undefined
/** The caller of the last response. */
let reader: string | undefined

/** Loads the server info once for each token. Drops cached content if the caller has changed. */
export function loadServerInfo(): Promise<ServerInfo> {
  if (asked?.token === token.peek()) return asked.answer
  const mine = { token: token.peek(), answer: get<ServerInfo>('') }
  asked = mine
  mine.answer.then(
    (about) => {
      const now = JSON.stringify(about.principal ?? null)
      if (reader !== undefined && reader !== now) clearUserData()
      reader = now
      known.value = { token: mine.token, about }
    },
    () => {
      if (asked === mine) asked = undefined
    },
  )
  return mine.answer
}

/** The server info for this tab's token; `undefined` until it is loaded. */
export function useServerInfo(): ServerInfo | undefined {
  const mine = token.value
  useEffect(() => {
    // views that need it show the problem
    loadServerInfo().catch(() => {})
  }, [mine])
  return known.value?.token === mine ? known.value.about : undefined
}
