import { lazy } from '../lazy.ts'
import type { Compute } from '../ports/compute.ts'
import type { JobInput, JobName, JobResult } from './jobs.ts'

/**
 * Characters from which on a computation goes to the thread. This many take about 4 ms; sending them takes 0.1 ms, and
 * starting the thread 50 ms of another core, which a process with short messages never needs.
 */
const LONG = 8 * 1024

/** Loaded on first use. The thread loads the jobs too, and must not load the core with them. */
const jobs = lazy(() => import('./jobs.ts'))
const sharedThread = lazy(async () => (await import('./thread.ts')).sharedThread)

/** Computes short texts at once, and long ones in the worker thread of the process or in pieces. */
export class TextCompute implements Compute {
  readonly #isThreaded: boolean
  #thread: ReturnType<typeof sharedThread> | undefined
  #isClosed = false

  constructor({ threaded }: { threaded: boolean }) {
    this.#isThreaded = threaded
  }

  analyzeTexts: Compute['analyzeTexts'] = (texts) => this.#run('analyzeTexts', [texts], lengthOf(texts))

  analyzeContents: Compute['analyzeContents'] = (contents) =>
    this.#run('analyzeContents', [contents], lengthOf(contents))

  findSimilar: Compute['findSimilar'] = (asked, held) =>
    this.#run('findSimilar', [asked, held], lengthOf(asked) + lengthOf(held))

  countTokens: Compute['countTokens'] = (text, atMost) => this.#run('countTokens', [text, atMost], text.length)
  extractFacts: Compute['extractFacts'] = (events) =>
    this.#run('extractFacts', [events], lengthOf(events.map(({ content }) => content)))

  /** Releases the thread. */
  async close(): Promise<void> {
    this.#isClosed = true
    ;(await this.#thread)?.release()
  }

  async #run<Name extends JobName>(name: Name, input: JobInput<Name>, length: number): Promise<JobResult<Name>> {
    if (!this.#isThreaded || this.#isClosed || length < LONG) return await (await jobs()).runInPieces(name, input)
    this.#thread ??= acquireThread()
    return await (await this.#thread).run(name, input)
  }
}

async function acquireThread() {
  const thread = await sharedThread()
  thread.acquire()
  return thread
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}
