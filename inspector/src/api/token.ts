import { signal } from '@preact/signals'

const KEY = 'throughline.token'

/** The token of this tab. The browser forgets it with the tab; nothing else keeps it. */
export const token = signal(stored())

/** Why a token was not taken, or that the server wants one; `undefined` while it is content. */
export const tokenProblem = signal<string | undefined>(undefined)

/** Takes a token for this tab. An empty one forgets the one before, and what was kept of its user's content. */
export function setToken(value: string): void {
  const given = value.trim().replace(/^Bearer\s+/i, '')
  if (given !== '' && !isToken(given)) {
    tokenProblem.value = 'a token has no spaces and only ASCII characters'
    return
  }
  const isForgotten = given === '' && token.peek() !== ''
  store(given)
  token.value = given
  tokenProblem.value = isForgotten ? '' : undefined
  if (isForgotten) clearUserData()
}

const forgetters = new Set<() => void>()

/** Has something called when somebody else may look at the page from now on: for what modules keep of sessions. */
export function onUserChange(forget: () => void): void {
  forgetters.add(forget)
}

/** Drops what modules keep of sessions. */
export function clearUserData(): void {
  for (const forget of forgetters) forget()
}

/** Whether it may stand in a header. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

// a browser that keeps nothing for any site throws at the mere look
function stored(): string {
  try {
    const text = sessionStorage.getItem(KEY) ?? ''
    return isToken(text) ? text : ''
  } catch {
    return ''
  }
}

function store(text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(KEY)
    else sessionStorage.setItem(KEY, text)
  } catch {
    // it is then kept until the page is loaded anew
  }
}
