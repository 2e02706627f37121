import { resolve, sep } from 'node:path'
import { StorageError, type ThroughlineError, UnavailableError } from '../../domain/errors.ts'
import { type FoundFiles, findFile, findFiles, type TranscriptFile } from './find-files.ts'
import { FolderWatcher, sleep } from './folder-watcher.ts'
import type { RefusedTranscript, TranscriptImport, TranscriptImporter } from './transcript-importer.ts'

/** A new file without messages is imported after this time without writes. */
const QUIET_FILE_MS = 60_000
/** Pause before a refused file is read again, which reads all of it. */
const RETRY_MS = 60_000
/** Pauses between attempts while the store does not answer; each is twice the previous one. */
const BACKOFF_MS = { first: 500, longest: 30_000 } as const

export interface FollowOptions {
  readonly signal: AbortSignal
  /** Called after each import with new events or new refusals. */
  onBatch(imported: TranscriptImport): void
  /** Called once when the store stops answering; attempts continue. */
  onUnavailable(error: ThroughlineError): void
  /** Called when it answers again. */
  onAvailable(): void
}

/**
 * Imports new lines of the files until the signal aborts. Finishes an import that is already running.
 *
 * @param first the files found and imported so far
 */
export async function followFiles(
  importer: TranscriptImporter,
  paths: readonly string[],
  first: { found: FoundFiles; imported: TranscriptImport },
  options: FollowOptions,
): Promise<void> {
  const { signal, onBatch } = options
  const versions = new FileVersions(first.found.files, new Set(paths))
  versions.record(first.imported)
  const watcher = new FolderWatcher()
  watcher.watch(first.found.folders)
  try {
    while (!signal.aborted) {
      const { all, paths: some } = await watcher.next(signal)
      if (signal.aborted) return
      const found = all ? await findFiles(paths) : undefined
      if (found !== undefined) watcher.watch(found.folders)
      const files = versions.selectChanged(found?.files ?? (await versions.readFiles(some)))
      if (files.length === 0) continue
      const waitsForMessage = ({ modifiedAt }: TranscriptFile) => Date.now() - modifiedAt < QUIET_FILE_MS
      const imported = await retryUntilAvailable(() => importer.importFiles(files, { waitsForMessage }), options)
      if (imported === undefined) return
      const refused = versions.record(imported)
      if (imported.events > 0 || refused.length > 0) onBatch({ ...imported, refused })
    }
  } finally {
    watcher.close()
  }
}

/**
 * Retries until the store answers; `undefined` if the signal aborts first. Repeating is safe: events have fixed ids.
 */
async function retryUntilAvailable(
  importNew: () => Promise<TranscriptImport>,
  { signal, onUnavailable, onAvailable }: FollowOptions,
): Promise<TranscriptImport | undefined> {
  for (let pause: number = BACKOFF_MS.first; ; pause = Math.min(pause * 2, BACKOFF_MS.longest)) {
    try {
      const imported = await importNew()
      if (pause > BACKOFF_MS.first) onAvailable()
      return imported
    } catch (error) {
      if (!(error instanceof StorageError || error instanceof UnavailableError)) throw error
      if (pause === BACKOFF_MS.first) onUnavailable(error)
      if (!(await sleep(pause, signal))) return undefined
    }
  }
}

/** Versions of the files at their last import. */
class FileVersions {
  readonly #named: ReadonlySet<string>
  readonly #versions: Map<string, string>
  /** When to read a refused file again. */
  readonly #retryAt = new Map<string, number>()
  readonly #reported = new Set<string>()

  constructor(files: readonly TranscriptFile[], named: ReadonlySet<string>) {
    this.#named = named
    this.#versions = new Map(files.map(({ path, version }) => [path, version]))
  }

  /** The files that changed since their last import. */
  selectChanged(files: readonly TranscriptFile[]): TranscriptFile[] {
    const isDue = (path: string) => Date.now() >= (this.#retryAt.get(path) ?? 0)
    const found = files.filter(({ path, version }) => this.#versions.get(path) !== version && isDue(path))
    for (const { path, version } of found) this.#versions.set(path, version)
    return found
  }

  /** Current state of changed paths: files in followed folders, and named files. */
  async readFiles(paths: ReadonlySet<string>): Promise<TranscriptFile[]> {
    const followed = [...paths].filter(
      (path) => this.#named.has(path) || this.#versions.has(path) || this.#isBelow(path),
    )
    const files = await Promise.all(followed.map((path) => findFile(path, this.#named.has(path))))
    return files.filter((file) => file !== undefined)
  }

  /** Records what to read again. Returns only new refusals: a refused session would repeat with every new line. */
  record({ waiting, refused }: TranscriptImport): RefusedTranscript[] {
    for (const path of waiting) this.#versions.delete(path)
    for (const { file, code } of refused) {
      if (code === 'UNREADABLE') this.#versions.delete(file)
      this.#retryAt.set(file, Date.now() + RETRY_MS)
    }
    return refused.filter(({ file, sessionId = '', code }) => {
      const key = JSON.stringify([file, sessionId, code])
      const isNew = !this.#reported.has(key)
      this.#reported.add(key)
      return isNew
    })
  }

  #isBelow(path: string): boolean {
    const whole = resolve(path)
    return [...this.#named].some((folder) => whole.startsWith(resolve(folder) + sep))
  }
}
