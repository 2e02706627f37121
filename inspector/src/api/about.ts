import { useAnswer } from '../parts/use-answer.ts'
import { get } from './client.ts'
import { forgetContent, token } from './token.ts'

/** What the server says of itself, and of who is asking. */
export interface About {
  readonly version: string
  readonly agents: readonly string[]
  /** Absent for whoever runs the store. */
  readonly principal?: { readonly tenant: string; readonly userId?: string }
}

/** Who asked last. */
let reader: string | undefined

/** Asks the server what it is. If somebody else is asking than the last time, what was kept for that one is dropped. */
export async function askAbout(signal: AbortSignal): Promise<About> {
  const about = await get<About>('', {}, signal)
  const now = JSON.stringify(about.principal ?? null)
  if (reader !== undefined && reader !== now) forgetContent()
  reader = now
  return about
}

/** Asks the server what it is; `undefined` until it has answered. */
export function useAbout(): About | undefined {
  return useAnswer(askAbout, [token.value]).value
}
