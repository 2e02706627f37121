import { type OpenOptions, open, type Run } from '../../src/index.ts'

/** Claims so many sessions at a time, and works on each until its signal fires. */
export interface SignalsJob {
  target: string | OpenOptions
  runs: number
}

/** The run has begun; its signal has fired, at that time of the host; the run has ended. */
export type SignalLine =
  | { sessionId: string; is: 'begun' | 'ended' }
  | { sessionId: string; is: 'fired'; reason: string; at: number }

const { target, runs } = JSON.parse(process.argv[2] ?? '') as SignalsJob
const print = (line: SignalLine) => process.stdout.write(`${JSON.stringify(line)}\n`)
const tl = await open(target)
const end = new AbortController()
process.stdin.resume()
process.stdin.once('end', () => end.abort())

async function work(run: Run): Promise<void> {
  const { id: sessionId, signal } = run
  const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'read', arguments: '{}' }))
  await run.addMessage({ role: 'assistant', content: 'I look', toolCalls })
  await run.addMessage({ role: 'tool', toolCallId: 'a', content: 'found' })
  const fired = new Promise<void>((resolve) => {
    const tell = () => {
      print({ sessionId, is: 'fired', reason: signal.reason.reason, at: performance.timeOrigin + performance.now() })
      resolve()
    }
    if (signal.aborted) tell()
    else signal.addEventListener('abort', tell)
  })
  print({ sessionId, is: 'begun' })
  await fired
  await run.finish()
  print({ sessionId, is: 'ended' })
}

async function claimAndWork(n: number): Promise<void> {
  while (!end.signal.aborted) {
    const run = await tl.claim({ worker: `worker ${n}`, signal: end.signal }).catch((error: unknown) => {
      if (!end.signal.aborted) throw error
    })
    if (run === undefined) return
    if (run.generation === 1) await work(run)
    else {
      // a message that came after the first run began, or interrupted it, is work for the next one
      if ((await run.record()).status.state === 'interrupted') await run.incorporate()
      await run.finish()
    }
  }
}

await Promise.all(Array.from({ length: runs }, (_, n) => claimAndWork(n)))
await tl.close()
