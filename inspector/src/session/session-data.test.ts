import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SessionData } from './session-data.ts'

/** What was asked, and how to answer it. */
interface Asked {
  readonly path: string
  readonly signal: AbortSignal
  readonly answer: (response: Response) => void
  readonly fail: () => void
}

let asked: Asked[]
let end: () => void

beforeEach(() => {
  asked = []
  end = () => undefined
  vi.useFakeTimers()
  vi.stubGlobal('document', { visibilityState: 'visible', addEventListener() {}, removeEventListener() {} })
  vi.stubGlobal('fetch', (path: string, { signal }: { signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    signal.addEventListener('abort', () => reject(signal.reason))
    // as a real one does, the body breaks with the signal
    const answer = (response: Response) =>
      resolve(
        path.includes('/stream')
          ? new Response(response.body?.pipeThrough(new TransformStream(), { signal }))
          : response,
      )
    asked.push({ path, signal, answer, fail: () => reject(new TypeError('no connection')) })
    return promise
  })
})
afterEach(() => {
  end()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms)
const recordAt = (head: number) => Response.json({ id: 's', head, status: { state: 'running' } })
const gone = () => Response.json({ code: 'NOT_FOUND', detail: 'not here' }, { status: 404 })
const streams = () => asked.filter(({ path }) => path.includes('/stream'))
const last = () => asked.at(-1) as Asked

/** A stream that stands, and what puts events into it. */
function standing() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const write = (text: string) => void writer.write(new TextEncoder().encode(text)).catch(() => undefined)
  return {
    response: new Response(readable as unknown as ReadableStream<Uint8Array<ArrayBuffer>>),
    write,
    event: (sequence: number) => write(`data: ${JSON.stringify({ sequence, type: 'user_message' })}\n\n`),
    end: () => void writer.close(),
  }
}

/** A session whose record and stream are there. */
async function lookAt(head: number) {
  const data = new SessionData('s')
  end = data.start()
  last().answer(recordAt(head))
  await pass()
  const stream = standing()
  last().answer(stream.response)
  await pass()
  return { data, stream }
}

describe('a session that is shown', () => {
  it('opens no stream once it is closed, even if its record arrives', async () => {
    const leave = new SessionData('s').start()
    leave()
    expect(last().signal.aborted).toBe(true)
    const leaveLater = new SessionData('s').start()
    last().answer(recordAt(3))
    leaveLater()
    await pass()
    expect(streams()).toEqual([])
  })

  it('follows after a failed first read', async () => {
    const data = new SessionData('s')
    end = data.start()
    last().fail()
    await pass()
    expect(data.problem.value?.code).toBe('UNREACHABLE')
    const again = data.begin()
    last().answer(recordAt(3))
    await again
    expect(streams().map(({ path }) => path)).toEqual(['v1/sessions/s/stream?after=3'])
  })

  it('delivers every event once, even if its record is ahead of the stream', async () => {
    const { data, stream } = await lookAt(3)
    const heard: number[] = []
    data.onEvents((events) => heard.push(...events.map(({ sequence }) => sequence)))
    stream.event(4)
    await pass(100)
    last().answer(recordAt(6))
    stream.end()
    await pass()
    expect([data.head.value, data.live.value]).toEqual([6, 'lost'])
    await pass(1000)
    expect(last().path).toContain('after=4')
    const next = standing()
    last().answer(next.response)
    next.event(5)
    await pass(100)
    expect(data.head.value).toBe(6)
    next.event(6)
    await pass(100)
    expect(heard).toEqual([4, 5, 6])
  })

  it('is live once the server responds, until it is silent', async () => {
    const data = new SessionData('s')
    end = data.start()
    last().answer(recordAt(3))
    await pass()
    expect([streams().length, data.live.value]).toEqual([1, 'connecting'])
    const stream = standing()
    last().answer(stream.response)
    await pass(30_000)
    stream.write(': still here\n\n')
    await pass(30_000)
    expect(data.live.value).toBe('live')
    await pass(10_000)
    expect([data.live.value, streams()[0]?.signal.aborted]).toEqual(['lost', true])
    await pass(1000)
    expect(streams()).toHaveLength(2)
    expect(data.live.value).toBe('lost')
  })

  it('has no problem once the stream is open again', async () => {
    const { data, stream } = await lookAt(3)
    stream.end()
    await pass()
    const read = data.refresh()
    last().fail()
    await read
    expect(data.problem.value?.code).toBe('UNREACHABLE')
    await pass(1000)
    last().answer(standing().response)
    await pass()
    last().answer(recordAt(3))
    await pass()
    expect([data.live.value, data.problem.value]).toEqual(['live', undefined])
  })

  it('disappears when it no longer exists', async () => {
    const { data, stream } = await lookAt(3)
    stream.event(4)
    await pass(100)
    expect(data.log.peek(4)).toBeDefined()
    last().answer(gone())
    await pass()
    expect([data.record.value, data.log.peek(4), data.problem.value?.status]).toEqual([undefined, undefined, 404])
    await pass(60_000)
    expect(streams()).toHaveLength(1)
  })

  it('is read for at most 30 seconds', async () => {
    // not faked: the signal has a clock of its own
    const late = new AbortController()
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(late.signal)
    const data = new SessionData('s')
    end = data.start()
    late.abort()
    await pass()
    expect(data.problem.value?.code).toBe('TIMEOUT')
  })

  it('shows the newest record, whichever response comes last', async () => {
    const { data } = await lookAt(3)
    const reads = [data.refresh(), data.refresh()]
    const [first, second] = asked.slice(-2)
    second?.answer(recordAt(5))
    await reads[1]
    first?.answer(recordAt(4))
    await reads[0]
    expect(data.record.value?.head).toBe(5)
  })
})
