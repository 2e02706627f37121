import { resolve, sep } from 'node:path'
import { StorageError, type ThroughlineError, UnavailableError } from '../../domain/errors.ts'
import { type FoundFile, fileAt, type Walk, walked } from './files.ts'
import type { Refused, Taken, Taking } from './take.ts'
import { paused, Watch } from './watch.ts'

/** Milliseconds after which what was begun is taken, whether something was said in it or not. */
const PATIENCE = 60_000
/** Milliseconds after which a file is tried again that was refused: to see that it still is, all of it has to be read. */
const RETRY = 60_000
/** Milliseconds before the first new attempt where the store does not answer, and at most: each pause is twice the one before. */
const PAUSE = { first: 500, longest: 30_000 } as const

/** Whom to tell, and when to end. */
export interface FollowOptions {
  readonly signal: AbortSignal
  /** Called for each time that something came. */
  onBatch(taken: Taken): void
  /** The store does not answer: it is tried again until it does. Called once for all attempts. */
  onAway(error: ThroughlineError): void
  /** It answers again. */
  onBack(): void
}

/**
 * Takes what comes to the files, until the signal says that it is enough. What is being taken by then is taken to its end.
 *
 * @param first what is there, and was taken already
 */
export async function follow(
  taking: Taking,
  paths: readonly string[],
  first: { walk: Walk; taken: Taken },
  options: FollowOptions,
): Promise<void> {
  const { signal, onBatch } = options
  const known = new Known(first.walk.files, new Set(paths))
  known.note(first.taken)
  const watch = new Watch()
  watch.watch(first.walk.folders)
  try {
    while (!signal.aborted) {
      const { all, paths: some } = await watch.next(signal)
      if (signal.aborted) return
      const walk = all ? await walked(paths) : undefined
      if (walk !== undefined) watch.watch(walk.folders)
      const files = known.changed(walk?.files ?? (await known.at(some)))
      if (files.length === 0) continue
      const isPatient = ({ writtenAt }: FoundFile) => Date.now() - writtenAt < PATIENCE
      const taken = await untilItAnswers(() => taking.take(files, { isPatient }), options)
      if (taken === undefined) return
      const refused = known.note(taken)
      if (taken.events > 0 || refused.length > 0) onBatch({ ...taken, refused })
    }
  } finally {
    watch.close()
  }
}

/** Tries until the store answers; `undefined` if the signal came first. What was taken before it failed is known by its ids. */
async function untilItAnswers(
  take: () => Promise<Taken>,
  { signal, onAway, onBack }: FollowOptions,
): Promise<Taken | undefined> {
  for (let pause: number = PAUSE.first; ; pause = Math.min(pause * 2, PAUSE.longest)) {
    try {
      const taken = await take()
      if (pause > PAUSE.first) onBack()
      return taken
    } catch (error) {
      if (!(error instanceof StorageError || error instanceof UnavailableError)) throw error
      if (pause === PAUSE.first) onAway(error)
      if (!(await paused(pause, signal))) return undefined
    }
  }
}

/** The files as they were when they were last taken. */
class Known {
  readonly #named: ReadonlySet<string>
  readonly #versions: Map<string, string>
  /** When to try a file again that was refused. */
  readonly #retryAt = new Map<string, number>()
  readonly #told = new Set<string>()

  constructor(files: readonly FoundFile[], named: ReadonlySet<string>) {
    this.#named = named
    this.#versions = new Map(files.map(({ path, version }) => [path, version]))
  }

  /** Those that are not as they were. */
  changed(files: readonly FoundFile[]): FoundFile[] {
    const isDue = (path: string) => Date.now() >= (this.#retryAt.get(path) ?? 0)
    const found = files.filter(({ path, version }) => this.#versions.get(path) !== version && isDue(path))
    for (const { path, version } of found) this.#versions.set(path, version)
    return found
  }

  /** How some files are now: those in the folders that are followed, and of others those that were named. */
  async at(paths: ReadonlySet<string>): Promise<FoundFile[]> {
    const wanted = [...paths].filter((path) => this.#named.has(path) || this.#versions.has(path) || this.#isBelow(path))
    const files = await Promise.all(wanted.map((path) => fileAt(path, this.#named.has(path))))
    return files.filter((file) => file !== undefined)
  }

  /** Puts down what has to be tried again. Gives the refusals that are new: a session would be refused each time that something comes to it. */
  note({ waiting, refused }: Taken): Refused[] {
    for (const path of waiting) this.#versions.delete(path)
    for (const { file, code } of refused) {
      if (code === 'UNREADABLE') this.#versions.delete(file)
      this.#retryAt.set(file, Date.now() + RETRY)
    }
    return refused.filter(({ file, sessionId = '', code }) => {
      const word = JSON.stringify([file, sessionId, code])
      const isNew = !this.#told.has(word)
      this.#told.add(word)
      return isNew
    })
  }

  #isBelow(path: string): boolean {
    const whole = resolve(path)
    return [...this.#named].some((folder) => whole.startsWith(resolve(folder) + sep))
  }
}
