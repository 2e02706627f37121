import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { packageFile } from '../package-file.ts'
import { type JobInput, type JobName, type JobResult, runInPieces } from './jobs.ts'
import type { Order, Outcome } from './thread-main.ts'

/** Computations that may wait for the thread; more run in pieces on the main thread. */
const MAX_WAITING = 64
/** Milliseconds without work after which the thread ends; it costs about 15 MB. */
const IDLE = 30_000
/** Crashes in a row after which everything runs in pieces on the main thread. */
const MAX_CRASHES = 3

/** The script of the thread, built or as source. */
const SCRIPT = packageFile(`worker/thread-main${extname(import.meta.url)}`)

/** A thread and the computations that wait for it. */
interface Running {
  readonly worker: Worker
  readonly waiting: Map<number, Waiting>
}

type Waiting = Pick<PromiseWithResolvers<unknown>, 'resolve' | 'reject'>

/** The thread ended before the computation did. */
class ThreadEnded extends Error {}

/**
 * A worker thread for computations: starts with the first one, ends after a while without work, and restarts after a
 * crash. A computation whose thread crashed is sent once more, then runs in pieces on the main thread; the same happens
 * where no thread can start, as under the permission model.
 */
export class Thread {
  readonly #script: URL
  #running: Running | undefined
  #idle: ReturnType<typeof setTimeout> | undefined
  #crashes = 0
  #orders = 0
  #users = 0

  constructor(script = SCRIPT) {
    this.#script = script
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  async run<Name extends JobName>(name: Name, input: JobInput<Name>): Promise<JobResult<Name>> {
    for (let attempt = 0; attempt < 2; attempt++) {
      if ((this.#running?.waiting.size ?? 0) >= MAX_WAITING || this.#crashes >= MAX_CRASHES) break
      try {
        return (await this.#send(name, input)) as JobResult<Name>
      } catch (error) {
        if (!(error instanceof ThreadEnded)) throw error
      }
    }
    return await runInPieces(name, input)
  }

  /** Called when a store uses it for the first time. */
  acquire(): void {
    this.#users += 1
  }

  /** Called when that store closes. The thread ends with the last one, once its work is done. */
  release(): void {
    this.#users -= 1
    this.#rest()
  }

  /** Ends the thread now. Unfinished computations are sent to a new one. */
  async end(): Promise<void> {
    const worker = this.#running?.worker
    this.#running = undefined
    await worker?.terminate()
  }

  async #send(name: JobName, input: JobInput<JobName>): Promise<unknown> {
    this.#running ??= this.#start()
    const { worker, waiting } = this.#running
    const id = ++this.#orders
    worker.postMessage({ id, name, input } satisfies Order)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.set(id, { resolve, reject })
    clearTimeout(this.#idle)
    // somebody waits for the result, so the process must not end
    worker.ref()
    return await promise
  }

  #start(): Running {
    const worker = this.#create()
    const waiting = new Map<number, Waiting>()
    worker.on('message', (outcome: Outcome) => {
      this.#crashes = 0
      const { resolve, reject } = waiting.get(outcome.id) as Waiting
      waiting.delete(outcome.id)
      if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.result)
      this.#rest()
    })
    // the exit follows
    worker.on('error', () => {})
    worker.once('exit', () => {
      if (this.#running?.worker === worker) this.#running = undefined
      if (waiting.size > 0) this.#crashes += 1
      for (const { reject } of waiting.values()) reject(new ThreadEnded())
    })
    return { worker, waiting }
  }

  #create(): Worker {
    try {
      // flags and preloaded modules of the process are not meant for this thread
      return new Worker(this.#script, { name: 'throughline', execArgv: [] })
    } catch (cause) {
      this.#crashes = MAX_CRASHES
      throw new ThreadEnded('no thread can be started', { cause })
    }
  }

  /** Lets the process end, and the thread after a while. */
  #rest(): void {
    if (this.#running === undefined || this.#running.waiting.size > 0) return
    this.#running.worker.unref()
    clearTimeout(this.#idle)
    if (this.#users > 0) this.#idle = setTimeout(() => void this.end(), IDLE).unref()
    else void this.end()
  }
}

/** The thread of this process. */
export const sharedThread = new Thread()
