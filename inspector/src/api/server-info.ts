import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { get } from './client.ts'
import { clearUserData, token } from './token.ts'

/** What the server says of itself, and of who is asking. */
export interface ServerInfo {
  readonly version: string
  readonly agents: readonly string[]
  /** Absent for whoever runs the store. */
  readonly principal?: { readonly tenant: string; readonly userId?: string }
}

const known = signal<{ readonly token: string; readonly about: ServerInfo } | undefined>(undefined)
let asked: { readonly token: string; readonly answer: Promise<ServerInfo> } | undefined
/** Who asked last. */
let reader: string | undefined

/** Asks the server what it is: once for each token, unless that failed. If somebody else is asking than the last time, what was kept for that one is dropped. */
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

/** What the server is to the token of this tab; `undefined` until it has answered. */
export function useServerInfo(): ServerInfo | undefined {
  const mine = token.value
  useEffect(() => {
    // whoever cannot do without it says what went wrong
    loadServerInfo().catch(() => {})
  }, [mine])
  return known.value?.token === mine ? known.value.about : undefined
}
