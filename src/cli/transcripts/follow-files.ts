import { resolve, sep } from 'node:path'
import { StorageError, type ThroughlineError, UnavailableError } from '../../domain/errors.ts'
import { type FoundFiles, findFile, findFiles, type TranscriptFile } from './find-files.ts'
import { FolderWatcher, sleep } from './folder-watcher.ts'
import type { RefusedTranscript, TranscriptImport, TranscriptImporter } from './transcript-importer.ts'

/** Milliseconds after which what was begun is taken, whether something was said in it or not. */
const QUIET_FILE_MS = 60_000
/** Milliseconds after which a file is tried again that was refused: to see that it still is, all of it has to be read. */
const RETRY_MS = 60_000
/** Milliseconds before the first new attempt where the store does not answer, and at most: each pause is twice the one before. */
const BACKOFF_MS = { first: 500, longest: 30_000 } as const

/** Whom to tell, and when to end. */
export interface FollowOptions {
  readonly signal: AbortSignal
  /** Called for each time that something came. */
  onBatch(taken: TranscriptImport): void
  /** The store does not answer: it is tried again until it does. Called once for all attempts. */
  onUnavailable(error: ThroughlineError): void
  /** It answers again. */
  onAvailable(): void
}

/**
 * Takes what comes to the files, until the signal says that it is enough. What is being taken by then is taken to its end.
 *
 * @param first what is there, and was taken already
 */
export async function followFiles(
  taking: TranscriptImporter,
  paths: readonly string[],
  first: { walk: FoundFiles; taken: TranscriptImport },
  options: FollowOptions,
): Promise<void> {
  const { signal, onBatch } = options
  const known = new FileVersions(first.walk.files, new Set(paths))
  known.record(first.taken)
  const watch = new FolderWatcher()
  watch.watch(first.walk.folders)
  try {
    while (!signal.aborted) {
      const { all, paths: some } = await watch.next(signal)
      if (signal.aborted) return
      const walk = all ? await findFiles(paths) : undefined
      if (walk !== undefined) watch.watch(walk.folders)
      const files = known.selectChanged(walk?.files ?? (await known.readFiles(some)))
      if (files.length === 0) continue
      const isPatient = ({ modifiedAt }: TranscriptFile) => Date.now() - modifiedAt < QUIET_FILE_MS
      const taken = await retryUntilAvailable(() => taking.importFiles(files, { isPatient }), options)
      if (taken === undefined) return
      const refused = known.record(taken)
      if (taken.events > 0 || refused.length > 0) onBatch({ ...taken, refused })
    }
  } finally {
    watch.close()
  }
}

/** Tries until the store answers; `undefined` if the signal came first. What was taken before it failed is known by its ids. */
async function retryUntilAvailable(
  take: () => Promise<TranscriptImport>,
  { signal, onUnavailable, onAvailable }: FollowOptions,
): Promise<TranscriptImport | undefined> {
  for (let pause: number = BACKOFF_MS.first; ; pause = Math.min(pause * 2, BACKOFF_MS.longest)) {
    try {
      const taken = await take()
      if (pause > BACKOFF_MS.first) onAvailable()
      return taken
    } catch (error) {
      if (!(error instanceof StorageError || error instanceof UnavailableError)) throw error
      if (pause === BACKOFF_MS.first) onUnavailable(error)
      if (!(await sleep(pause, signal))) return undefined
    }
  }
}

/** The files as they were when they were last taken. */
class FileVersions {
  readonly #named: ReadonlySet<string>
  readonly #versions: Map<string, string>
  /** When to try a file again that was refused. */
  readonly #retryAt = new Map<string, number>()
  readonly #told = new Set<string>()

  constructor(files: readonly TranscriptFile[], named: ReadonlySet<string>) {
    this.#named = named
    this.#versions = new Map(files.map(({ path, version }) => [path, version]))
  }

  /** Those that are not as they were. */
  selectChanged(files: readonly TranscriptFile[]): TranscriptFile[] {
    const isDue = (path: string) => Date.now() >= (this.#retryAt.get(path) ?? 0)
    const found = files.filter(({ path, version }) => this.#versions.get(path) !== version && isDue(path))
    for (const { path, version } of found) this.#versions.set(path, version)
    return found
  }

  /** How some files are now: those in the folders that are followed, and of others those that were named. */
  async readFiles(paths: ReadonlySet<string>): Promise<TranscriptFile[]> {
    const wanted = [...paths].filter((path) => this.#named.has(path) || this.#versions.has(path) || this.#isBelow(path))
    const files = await Promise.all(wanted.map((path) => findFile(path, this.#named.has(path))))
    return files.filter((file) => file !== undefined)
  }

  /** Puts down what has to be tried again. Gives the refusals that are new: a session would be refused each time that something comes to it. */
  record({ waiting, refused }: TranscriptImport): RefusedTranscript[] {
    for (const path of waiting) this.#versions.delete(path)
    for (const { file, code } of refused) {
      if (code === 'UNREADABLE') this.#versions.delete(file)
      this.#retryAt.set(file, Date.now() + RETRY_MS)
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
