import type { TailOptions } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { parse } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { tailOptions } from './schema.ts'

/** Rows per read. */
const CHUNK = 200

/**
 * Replays the log, then follows it. The log is the only source and a wake-up only a hint to read again, so nothing is
 * missed or repeated between the two, and a slow reader costs no memory.
 */
export function tailEvents(deps: Deps, sessionId: string, options: TailOptions = {}): AsyncGenerator<SessionEvent> {
  const { after = 0, signal } = parse(tailOptions, options)
  return follow(deps, sessionId, after, signal)
}

async function* follow(
  deps: Deps,
  sessionId: string,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionEvent> {
  const stopping = signal === undefined ? deps.closed : AbortSignal.any([signal, deps.closed])
  if (stopping.aborted) return
  const bell = new Bell()
  const unwatch = deps.store.watch(sessionId, () => bell.ring())
  const stop = () => bell.ring()
  stopping.addEventListener('abort', stop)
  try {
    for (let seen = after; !stopping.aborted; ) {
      bell.reset()
      const page = await deps.store.read(keyOf(deps, sessionId), { after: seen, order: 'asc', limit: CHUNK })
      for (const stored of page) {
        if (stopping.aborted) return
        yield sessionEvent(sessionId, stored)
        seen = stored.sequence
      }
      if (page.length === 0 && !stopping.aborted) await bell.rung
      // one append can wake hundreds of streams, which must not all read in the same turn of the event loop
      if (!stopping.aborted) await nextTurn()
    }
  } finally {
    stopping.removeEventListener('abort', stop)
    unwatch()
  }
}

/** A wake-up that cannot be missed: one that comes before the wait ends the wait at once. */
class Bell {
  rung: Promise<void> = Promise.resolve()
  ring: () => void = () => {}

  reset(): void {
    this.rung = new Promise((resolve) => {
      this.ring = resolve
    })
  }
}
