import type { Breaker } from './breaker.ts'
import type { Invalidation, PendingInvalidations } from './pending-invalidations.ts'

export interface RepairOptions {
  breaker: Breaker
  pending: PendingInvalidations
  /** Fails while the server is not well. */
  probe(): Promise<unknown>
  remove(sessionId: string, remedy: Invalidation): Promise<void>
  removeAll(): Promise<void>
  /** Between two attempts, in milliseconds. */
  pauseMs: number
  now(): number
}

/** Looks after what failed, in the background, so that no caller waits for it. */
export interface Repairer {
  /** Something failed. */
  start(): void
  /** The server gave a sign of life: no need to wait for the next attempt. */
  retryNow(): void
  /** Ends it, after one last attempt to remove what is unsettled. */
  stop(): Promise<void>
}

export function repairer({
  breaker,
  pending: unsettled,
  probe,
  remove,
  removeAll,
  pauseMs,
  now,
}: RepairOptions): Repairer {
  let stopped = false
  let running: Promise<void> | undefined
  let hurry = () => {}
  const needed = () => !breaker.allowsWrites() || !unsettled.isEmpty

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
    if (!breaker.allowsWrites()) await pause()
    while (needed() && !stopped) {
      try {
        await attempt()
      } catch {
        await pause()
      }
    }
  }

  async function attempt(): Promise<void> {
    if (!breaker.allowsWrites()) await probe()
    await unsettled.run(remove, removeAll)
    breaker.recovered(now())
  }

  return {
    start() {
      if (stopped) return
      running ??= mend().finally(() => {
        running = undefined
      })
    },
    retryNow: () => hurry(),
    async stop() {
      stopped = true
      hurry()
      await running
      if (!unsettled.isEmpty) await attempt().catch(() => {})
    },
  }
}
