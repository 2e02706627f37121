import { useAnswer } from '../parts/use-answer.ts'
import { get } from './client.ts'
import { token } from './token.ts'

/** What the server says of itself, and of who is asking. */
export interface About {
  readonly version: string
  readonly agents: readonly string[]
  /** Absent for whoever runs the store. */
  readonly principal?: { readonly tenant: string; readonly userId?: string }
}

/** Asks the server what it is; `undefined` until it has answered. */
export function useAbout(): About | undefined {
  return useAnswer((signal) => get<About>('', {}, signal), [token.value]).value
}
