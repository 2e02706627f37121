import { signal } from '@preact/signals'

const KEY = 'throughline.token'

/** The token of this tab. The browser forgets it with the tab; nothing else keeps it. */
export const token = signal(sessionStorage.getItem(KEY) ?? '')

/** Why the server did not take the token, or that it wants one; `undefined` while it is content. */
export const tokenProblem = signal<string | undefined>(undefined)

export function setToken(value: string): void {
  const trimmed = value.trim().replace(/^Bearer\s+/i, '')
  if (trimmed === '') sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, trimmed)
  token.value = trimmed
  tokenProblem.value = undefined
}
