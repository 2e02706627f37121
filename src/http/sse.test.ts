import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sseOf, sseOfWork } from './sse.ts'

const problem = (error: unknown) => JSON.stringify({ code: (error as Error).message })

async function all(stream: AsyncIterable<string>): Promise<string[]> {
  const lines: string[] = []
  for await (const line of stream) lines.push(line)
  return lines
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a stream of items', () => {
  it('carries each under its sequence, and says when it is over', async () => {
    async function* items() {
      yield { sequence: 7, zero: -0 }
      yield { name: 'a\nb' }
    }
    expect(await all(sseOf(items(), problem))).toEqual([
      ': here\n\n',
      'id: 7\ndata: {"sequence":7,"zero":-0}\n\n',
      'data: {"name":"a\\nb"}\n\n',
      'event: end\ndata: {}\n\n',
    ])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends with what went wrong', async () => {
    async function* items() {
      yield { sequence: 1 }
      throw new Error('GONE')
    }
    expect((await all(sseOf(items(), problem))).at(-1)).toBe('event: problem\ndata: {"code":"GONE"}\n\n')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('shows signs of life while nothing comes, and loses nothing that does', async () => {
    let give: (item: object) => void = () => {}
    async function* items() {
      yield await new Promise((resolve) => {
        give = resolve
      })
    }
    const stream = sseOf(items(), problem, 1000)
    await stream.next()
    const next = stream.next()
    await vi.advanceTimersByTimeAsync(1000)
    expect((await next).value).toBe(': still here\n\n')
    const item = stream.next()
    give({ sequence: 2 })
    expect((await item).value).toBe('id: 2\ndata: {"sequence":2}\n\n')
    await stream.return(undefined)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets go of its source when its reader leaves', async () => {
    const left = vi.fn()
    async function* items() {
      try {
        for (let sequence = 1; ; sequence++) yield { sequence }
      } finally {
        left()
      }
    }
    const stream = sseOf(items(), problem)
    for (let i = 0; i < 3; i++) await stream.next()
    await stream.return(undefined)
    expect(left).toHaveBeenCalledOnce()
  })
})

describe('a stream of work', () => {
  it('tells how far it is, and then what came of it', async () => {
    let step: (() => void)[] = []
    const reached = () => new Promise<void>((resolve) => step.push(resolve))
    const stream = sseOfWork(
      async (onProgress) => {
        onProgress({ done: 1 })
        onProgress({ done: 2 })
        await reached()
        onProgress({ done: 3 })
        await reached()
        return { total: 3 }
      },
      problem,
      1000,
    )
    const go = () => {
      const [first] = step
      step = []
      first?.()
    }
    const lines = [await stream.next(), await stream.next()]
    // the second word took the place of the first, which nobody had read
    expect(lines.map(({ value }) => value)).toEqual([': here\n\n', 'event: progress\ndata: {"done":2}\n\n'])
    const beat = stream.next()
    await vi.advanceTimersByTimeAsync(1000)
    expect((await beat).value).toBe(': still here\n\n')
    const third = stream.next()
    go()
    expect((await third).value).toBe('event: progress\ndata: {"done":3}\n\n')
    const last = stream.next()
    await vi.advanceTimersByTimeAsync(0)
    go()
    expect((await last).value).toBe('event: result\ndata: {"total":3}\n\n')
    expect((await stream.next()).done).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells of a failure as its last word, and of nothing as null', async () => {
    const failing = sseOfWork(() => Promise.reject(new Error('NO')), problem)
    expect((await all(failing)).at(-1)).toBe('event: problem\ndata: {"code":"NO"}\n\n')
    expect((await all(sseOfWork(async () => undefined, problem))).at(-1)).toBe('event: result\ndata: null\n\n')
  })
})
