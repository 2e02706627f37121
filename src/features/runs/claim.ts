import { RunActiveError, SessionEndedError, SessionNotFoundError } from '../../domain/errors.ts'
import { defined } from '../../domain/optional.ts'
import type { ClaimableSession } from '../../ports/runs.ts'
import { type Deps, now } from '../kernel/deps.ts'
import type { RunGrant } from './hold-run.ts'
import { beginRun, NoWorkError } from './operation.ts'
import { pause } from './wait.ts'

/** What a worker takes. */
export interface Claim {
  readonly worker: string
  readonly ttlMs: number
  readonly chatmode?: string | undefined
  readonly agents?: readonly string[] | undefined
}

/** Tenants, and sessions of each, that one look returns: another worker may be faster with some of them. */
const LOOK = { tenants: 8, limit: 4 }
/** Milliseconds between two looks: soon after there was work, then less often. */
const PAUSE = { shortest: 50, longest: 1000 }

/** A worker that waits. */
interface Waiting {
  readonly claim: Claim
  readonly take: (grant: RunGrant | undefined) => void
  readonly signal: AbortSignal
  readonly fail: (error: unknown) => void
  /** Ends the wait, unless a run begins for it at this moment. */
  readonly leave: () => void
  /** Whether a whole look found nothing for it. */
  isServed: boolean
  /** Whether its time is up: it leaves after the first look. */
  isLate: boolean
}

/** The workers of one process that wait for the same kind of work share one look at the store. */
class Desk {
  readonly #deps: Deps
  readonly #kind: Pick<Claim, 'chatmode' | 'agents'>
  readonly #waiting: Waiting[] = []
  /** The tenant that had its turn last. */
  #after: string | undefined
  #isOpen = false
  /** Whether a worker came after the last look began. */
  #hasNew = false
  #wake: (() => void) | undefined

  constructor(deps: Deps, kind: Pick<Claim, 'chatmode' | 'agents'>) {
    this.#deps = deps
    this.#kind = kind
  }

  /**
   * Returns a run; `undefined` if the signal fires or the time is up before one begins. It looks for work at least
   * once, however short the time.
   */
  async claim(claim: Claim, signal: AbortSignal, waitMs?: number): Promise<RunGrant | undefined> {
    if (signal.aborted) return undefined
    const { promise, resolve, reject } = Promise.withResolvers<RunGrant | undefined>()
    const leave = () => {
      const place = this.#waiting.indexOf(waiting)
      if (place < 0) return
      this.#waiting.splice(place, 1)
      if (this.#waiting.length === 0) this.#wake?.()
      resolve(undefined)
    }
    const waiting: Waiting = { claim, take: resolve, fail: reject, signal, leave, isServed: false, isLate: false }
    const expire = () => {
      waiting.isLate = true
      if (waiting.isServed) leave()
    }
    const timer = waitMs === undefined ? undefined : setTimeout(expire, waitMs)
    signal.addEventListener('abort', leave)
    this.#waiting.push(waiting)
    this.#hasNew = true
    void this.#serve()
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  }

  get isIdle(): boolean {
    return !this.#isOpen
  }

  /** Looks for work as long as someone waits. */
  async #serve(): Promise<void> {
    if (this.#isOpen) {
      this.#wake?.()
      return
    }
    this.#isOpen = true
    try {
      for (let ms = PAUSE.shortest; this.#waiting.length > 0; ) {
        const isFound = await this.#look()
        ms = isFound ? PAUSE.shortest : Math.min(2 * ms, PAUSE.longest)
        if (this.#waiting.length === 0) break
        // not all processes at the same time
        if (!isFound && !this.#hasNew) await this.#rest(ms * (0.75 + Math.random() / 2))
      }
    } catch (error) {
      for (const { fail } of this.#waiting.splice(0)) fail(error)
    } finally {
      this.#isOpen = false
    }
  }

  async #rest(ms: number): Promise<void> {
    await pause(ms, undefined, (wake) => {
      this.#wake = wake
      return () => {
        this.#wake = undefined
      }
    })
  }

  /** Gives the sessions that need work to those who wait; says whether there were any. */
  async #look(): Promise<boolean> {
    const { within, store } = this.#deps
    const present = [...this.#waiting]
    this.#hasNew = false
    const query = { ...this.#kind, ...LOOK, within, after: this.#after, at: now(this.#deps) }
    const found = await store.claimable(defined(query))
    let isTaken = false
    for (const { sessionId, tenant } of inTurns(found)) {
      const next = this.#waiting.shift()
      if (next === undefined) return true
      const grant = await this.#begin(sessionId, next)
      if (grant === undefined) continue
      this.#after = tenant
      isTaken = true
      next.take(grant)
    }
    for (const waiting of present) {
      waiting.isServed = true
      if (waiting.isLate) waiting.leave()
    }
    return isTaken
  }

  /** Begins a run for a worker, who waits on if another was faster. */
  async #begin(sessionId: string, waiting: Waiting): Promise<RunGrant | undefined> {
    try {
      const { worker, ttlMs } = waiting.claim
      return await beginRun(this.#deps, sessionId, { worker, ttlMs, onlyIfDue: true })
    } catch (error) {
      if (!isTaken(error)) waiting.fail(error)
      else if (waiting.signal.aborted) waiting.take(undefined)
      else this.#waiting.unshift(waiting)
      return undefined
    }
  }
}

function isTaken(error: unknown): boolean {
  const kinds = [NoWorkError, RunActiveError, SessionEndedError, SessionNotFoundError]
  return kinds.some((kind) => error instanceof kind)
}

/** The first of each tenant, then the second of each, and so on. */
function inTurns(found: readonly ClaimableSession[]): ClaimableSession[] {
  const groups = Map.groupBy(found, ({ tenant }) => tenant)
  const longest = Math.max(0, ...Array.from(groups.values(), ({ length }) => length))
  return Array.from({ length: longest }, (_, i) => Array.from(groups.values(), (group) => group[i] ?? [])).flat(2)
}

/** Most desks that are kept while nobody waits: they know which tenant had its turn. */
const MOST_DESKS = 1000

/** The desks of each open store by the kind of work. */
const desks = new WeakMap<Deps['closed'], Map<string, Desk>>()

/** Begins a run on a session that needs work; waits for one until the signal fires, or for `waitMs`. */
export async function claimRun(
  deps: Deps,
  claim: Claim,
  signal: AbortSignal,
  waitMs?: number,
): Promise<RunGrant | undefined> {
  const { chatmode, agents } = claim
  const { tenant, userId } = deps.within ?? {}
  const key = JSON.stringify([tenant, userId, chatmode, agents])
  const own = desks.get(deps.closed) ?? new Map<string, Desk>()
  desks.set(deps.closed, own)
  const desk = own.get(key) ?? new Desk(deps, defined({ chatmode, agents }))
  // the last one used comes last
  own.delete(key)
  own.set(key, desk)
  for (const [oldest, { isIdle }] of own) {
    if (own.size <= MOST_DESKS) break
    if (isIdle) own.delete(oldest)
  }
  return await desk.claim(claim, signal, waitMs)
}
