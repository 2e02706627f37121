import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Run, Session } from '../../api.ts'
import { RunLostError, StorageError } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { holdRun, type RunCalls } from './hold-run.ts'
import type { Stop } from './stop.ts'

beforeEach(() =>
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] }),
)
afterEach(() => vi.useRealTimers())

const TTL = 30_000
const GRANT = { sessionId: 's', runId: 'r', generation: 7, ttlMs: TTL }
const unreachable = new StorageError('test', 'unreachable')

/** A run whose calls are answered by `given`, with what it called. */
function hold(given: Partial<RunCalls> = {}) {
  const steps = new Map<string, { result?: Json }>()
  const finished: unknown[] = []
  const signals: unknown[] = []
  let tell: (stop: Stop) => void = () => {}
  let isWatching = true
  const calls: RunCalls = {
    renew: async () => undefined,
    finish: async (...how) => void finished.push(how),
    findStep: async (key) => steps.get(key),
    async recordStep(key, result) {
      const recorded = steps.get(key) ?? { result: result as Json }
      steps.set(key, recorded)
      return recorded
    },
    watch(onStop) {
      tell = onStop
      return () => {
        isWatching = false
      }
    },
    ...given,
  }
  const run: Run = holdRun({ id: 's' } as Session, GRANT, calls)
  run.signal.addEventListener('abort', () => signals.push(run.signal.reason.reason))
  return { run, steps, finished, signals, tell: (stop: Stop) => tell(stop), isWatching: () => isWatching }
}

describe('the lease of a run', () => {
  it('is renewed until the run ends', async () => {
    let renewals = 0
    const { run, finished, isWatching } = hold({ renew: async () => void renewals++ })
    await vi.advanceTimersByTimeAsync(4 * TTL)
    expect(renewals).toBe(16)
    expect(run.signal.aborted).toBe(false)
    await run.finish({ note: 'done' })
    await vi.advanceTimersByTimeAsync(4 * TTL)
    expect(renewals).toBe(16)
    expect([finished, isWatching(), run.signal.aborted]).toEqual([[['completed', 'done']], false, false])
  })

  it('survives two renewals of three that fail', async () => {
    let calls = 0
    const renew = async () => {
      if (++calls % 3 !== 0) throw unreachable
      return undefined
    }
    const { signals } = hold({ renew })
    await vi.advanceTimersByTimeAsync(5 * TTL)
    expect([calls, signals]).toEqual([20, []])
  })

  it.each([
    ['fail', async () => Promise.reject(unreachable)],
    ['never return', () => new Promise<undefined>(() => {})],
  ])('is lost at its end, not before, if all renewals %s', async (_, renew) => {
    const { signals, isWatching } = hold({ renew })
    await vi.advanceTimersByTimeAsync(TTL - 1)
    expect(signals).toEqual([])
    await vi.advanceTimersByTimeAsync(2)
    expect([signals, isWatching()]).toEqual([['lost'], false])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('counts from before the call that renewed it', async () => {
    let calls = 0
    const slow = () =>
      ++calls > 1
        ? new Promise<undefined>(() => {})
        : new Promise<undefined>((done) => setTimeout(() => done(undefined), 7000))
    const { signals } = hold({ renew: slow })
    await vi.advanceTimersByTimeAsync(TTL / 4 + TTL - 1)
    expect(signals).toEqual([])
    await vi.advanceTimersByTimeAsync(2)
    expect(signals).toEqual(['lost'])
  })

  it('is kept after a cancel, so that the run can end in peace', async () => {
    const { run, signals, finished } = hold({ renew: async () => ({ reason: 'cancelled' }) })
    await vi.advanceTimersByTimeAsync(5 * TTL)
    expect(signals).toEqual(['cancelled'])
    await run.finish()
    expect(finished.length).toBe(1)
  })
})

describe('the signal of a run', () => {
  it('fires once, with the first reason', async () => {
    const { run, signals, tell } = hold({ renew: async () => ({ reason: 'lost' }) })
    tell({ reason: 'cancelled', note: 'enough' })
    tell({ reason: 'aborted' })
    await vi.advanceTimersByTimeAsync(2 * TTL)
    expect(signals).toEqual(['cancelled'])
    expect([run.signal.reason.name, run.signal.reason.note]).toEqual(['RunStopped', 'enough'])
    await expect(run.step('a', () => 1)).rejects.toBe(run.signal.reason)
  })

  it.each(['aborted', 'ended', 'purged', 'lost'] as const)(
    'fires, and nothing is renewed any more: %s',
    async (reason) => {
      let calls = 0
      const renew = async () => {
        calls++
        return { reason }
      }
      const { signals, isWatching } = hold({ renew })
      await vi.advanceTimersByTimeAsync(5 * TTL)
      expect([signals, calls, isWatching()]).toEqual([[reason], 1, false])
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it('does not fire after the end of the run', async () => {
    const { run, signals, tell } = hold()
    await run.finish()
    tell({ reason: 'cancelled' })
    expect(signals).toEqual([])
  })
})

describe('a step', () => {
  it('runs once for calls at the same time and for later ones', async () => {
    const { run } = hold()
    let calls = 0
    const work = async () => ++calls
    expect(await Promise.all([run.step('a', work), run.step('a', work)])).toEqual([1, 1])
    expect([await run.step('a', work), await run.step('b', work)]).toEqual([1, 2])
  })

  it('returns what was recorded first, and runs again after a failure', async () => {
    const { run, steps } = hold()
    await expect(run.step('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(steps.size).toBe(0)
    const raced = run.step('a', () => {
      // another run was faster
      steps.set('a', { result: 'theirs' })
      return 'ours'
    })
    expect(await raced).toBe('theirs')
  })

  it('returns what was recorded although the run was asked to stop', async () => {
    const { run, steps, tell } = hold()
    steps.set('a', { result: 1 })
    tell({ reason: 'cancelled' })
    expect(await run.step('a', () => 2)).toBe(1)
  })
})

describe('a run that is left', () => {
  it('counts as failed, unless it has ended', async () => {
    const left = hold()
    await left.run[Symbol.asyncDispose]()
    expect(left.finished).toEqual([['failed', expect.any(String)]])
    const ended = hold()
    await ended.run.fail(new Error('no model'))
    await ended.run[Symbol.asyncDispose]()
    expect(ended.finished).toEqual([['failed', 'no model']])
    await expect(ended.run.finish()).rejects.toMatchObject({ code: 'RUN_LOST' })
  })

  it('says nothing if another run has begun, and passes other errors on', async () => {
    const lost = hold({ finish: () => Promise.reject(new RunLostError({ sessionId: 's', generation: 7 })) })
    await lost.run[Symbol.asyncDispose]()
    const broken = hold({ finish: () => Promise.reject(unreachable) })
    await expect(broken.run[Symbol.asyncDispose]()).rejects.toBe(unreachable)
  })

  it('can be ended again if its end could not be stored', async () => {
    let calls = 0
    const { run } = hold({
      async finish() {
        if (++calls === 1) throw unreachable
      },
    })
    await expect(run.finish()).rejects.toBe(unreachable)
    await run.finish()
    expect(calls).toBe(2)
    await expect(run.finish()).rejects.toMatchObject({ code: 'RUN_LOST' })
  })
})
