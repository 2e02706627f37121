import type { OpenOptions, Run, Throughline } from '../../src/index.ts'

/** Claims sessions and works on them until it is killed or its input ends. */
export interface RunWorkerJob {
  target: string | OpenOptions
  name: string
  steps: number
  ttlMs: number
  /** Milliseconds by which the clock of its host is wrong. */
  clockMs: number
}

/** The step that a worker is about to record. */
export interface RunWorkerLine {
  sessionId: string
  generation: number
  step: number
}

const { target, name, steps, ttlMs, clockMs } = JSON.parse(process.argv[2] ?? '') as RunWorkerJob
const hostNow = Date.now
Date.now = () => hostNow() + clockMs
// loaded with the moved clock
const { open, ThroughlineError } = await import('../../src/index.ts')

/** What a worker may meet when its session or its store was taken away; another run does the work. */
const EXPECTED = new Set(['RUN_LOST', 'STORAGE', 'UNAVAILABLE'])

const end = new AbortController()
process.stdin.resume()
process.stdin.once('end', () => end.abort())

async function work(run: Run): Promise<void> {
  const { generation } = run
  for (let step = 1; step <= steps; step++) {
    process.stdout.write(`${JSON.stringify({ sessionId: run.id, generation, step } satisfies RunWorkerLine)}\n`)
    await run.step(`${step}`, async () => {
      await run.append({ type: 'x.work', content: `${step}`, parts: { generation } })
      return { generation, step }
    })
  }
  await run.finish({ note: `${generation}` })
}

async function workOn(tl: Throughline): Promise<void> {
  while (!end.signal.aborted) {
    try {
      await work(await tl.claim({ worker: name, ttlMs, signal: end.signal }))
    } catch (error) {
      const isExpected = error instanceof ThroughlineError && EXPECTED.has(error.code)
      // the signal of a lost run fires before its next step, too
      const isStopped = error instanceof Error && error.name === 'RunStopped'
      if (!isExpected && !isStopped && !end.signal.aborted) throw error
    }
  }
}

const tl = await open(target)
await workOn(tl)
await tl.close()
