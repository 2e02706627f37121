import type { Breaker } from './breaker.ts'
import type { Invalidation, PendingInvalidations } from './pending-invalidations.ts'

export interface RepairOptions {
  breaker: Breaker
  pending: PendingInvalidations
  /** Fails while the server is unhealthy. */
  probe(): Promise<unknown>
  remove(sessionId: string, remedy: Invalidation): Promise<void>
  removeAll(): Promise<void>
  /** Between two attempts, in milliseconds. */
  pauseMs: number
  now(): number
}

/** Repairs in the background after failures, so no caller waits. */
export interface Repairer {
  /** Call after a failure. */
  start(): void
  /** Call when the server responds: ends the pause before the next attempt. */
  retryNow(): void
  /** Stops after one last attempt to run the pending invalidations. */
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
  let retryNow = () => {}
  const needed = () => !breaker.allowsWrites() || !unsettled.isEmpty

  async function pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs).unref()
      retryNow = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async function repair(): Promise<void> {
    // an open breaker pauses first; a single failure is repaired immediately
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
      running ??= repair().finally(() => {
        running = undefined
      })
    },
    retryNow: () => retryNow(),
    async stop() {
      stopped = true
      retryNow()
      await running
      if (!unsettled.isEmpty) await attempt().catch(() => {})
    },
  }
}
