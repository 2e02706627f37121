import { setTimeout as delay } from 'node:timers/promises'
import type { Breaker } from './breaker.ts'
import type { Remedy, Unsettled } from './unsettled.ts'

export interface MendOptions {
  breaker: Breaker
  unsettled: Unsettled
  /** Fails while the server is not well. */
  probe(): Promise<unknown>
  remove(sessionId: string, remedy: Remedy): Promise<void>
  removeAll(): Promise<void>
  /** Between two attempts, in milliseconds. */
  pauseMs: number
  now(): number
}

/** Looks after what failed, in the background, so that no caller waits for it. */
export interface Mender {
  /** Something failed. */
  wake(): void
  /** Ends it, after one last attempt to remove what is unsettled. */
  stop(): Promise<void>
}

export function mender({ breaker, unsettled, probe, remove, removeAll, pauseMs, now }: MendOptions): Mender {
  const stopped = new AbortController()
  let running: Promise<void> | undefined
  const pause = () => delay(pauseMs, undefined, { ref: false, signal: stopped.signal }).catch(() => {})
  const needed = () => !breaker.writes() || !unsettled.empty

  async function mend(): Promise<void> {
    // nothing is asked of an open one for a while; a lone failure is put right at once
    if (!breaker.writes()) await pause()
    while (needed() && !stopped.signal.aborted) {
      try {
        await attempt()
      } catch {
        await pause()
      }
    }
  }

  async function attempt(): Promise<void> {
    if (!breaker.writes()) await probe()
    await unsettled.settle(remove, removeAll)
    breaker.recovered(now())
  }

  return {
    wake() {
      if (stopped.signal.aborted) return
      running ??= mend().finally(() => {
        running = undefined
      })
    },
    async stop() {
      stopped.abort()
      await running
      if (!unsettled.empty) await attempt().catch(() => {})
    },
  }
}
