import type { Breaker } from './breaker.ts'
import type { Remedy, Unsettled } from './pending-invalidations.ts'

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
  /** The server gave a sign of life: no need to wait for the next attempt. */
  hurry(): void
  /** Ends it, after one last attempt to remove what is unsettled. */
  stop(): Promise<void>
}

export function mender({ breaker, unsettled, probe, remove, removeAll, pauseMs, now }: MendOptions): Mender {
  let stopped = false
  let running: Promise<void> | undefined
  let hurry = () => {}
  const needed = () => !breaker.writes() || !unsettled.empty

  async function pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs).unref()
      hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function mend(): Promise<void> {
    // nothing is asked of an open one for a while; a lone failure is put right at once
    if (!breaker.writes()) await pause()
    while (needed() && !stopped) {
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
      if (stopped) return
      running ??= mend().finally(() => {
        running = undefined
      })
    },
    hurry: () => hurry(),
    async stop() {
      stopped = true
      hurry()
      await running
      if (!unsettled.empty) await attempt().catch(() => {})
    },
  }
}
