import { signal } from '@preact/signals'
import { readStored, writeStored } from './storage.ts'

const KEY = 'throughline.token'

/** The token of this tab, kept in its session storage only. */
export const token = signal(stored())

/** Why a token was rejected; empty where the server requires one; `undefined` while all is well. */
export const tokenProblem = signal<string | undefined>(undefined)

/** Sets the token of this tab. An empty one removes it, with all cached content of its user. */
export function setToken(value: string): void {
  const given = value.trim().replace(/^Bearer\s+/i, '')
  if (given !== '' && !isToken(given)) {
    tokenProblem.value = 'a token has no spaces and only ASCII characters'
    return
  }
  const isForgotten = given === '' && token.peek() !== ''
  writeStored('sessionStorage', KEY, given)
  token.value = given
  tokenProblem.value = isForgotten ? '' : undefined
  if (isForgotten) clearUserData()
}

const forgetters = new Set<() => void>()

/** Registers a callback for when the user may have changed, to drop cached content. */
export function onUserChange(forget: () => void): void {
  forgetters.add(forget)
}

/** Drops all cached content of the user. */
export function clearUserData(): void {
  for (const forget of forgetters) forget()
}

/** Whether a header can hold it. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

function stored(): string {
  const text = readStored('sessionStorage', KEY)
  return isToken(text) ? text : ''
}
