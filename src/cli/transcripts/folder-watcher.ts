import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Collects changes for this long: one message is several lines. */
const DEBOUNCE_MS = 200
/** Full scans, because watchers may miss changes; more often if watching failed. */
const POLL_MS = 3000
const UNWATCHED_POLL_MS = 1000

/** Paths that may have changed. */
export interface Changes {
  /** Scan everything: something was created or removed, or a full scan is due. */
  readonly all: boolean
  readonly paths: ReadonlySet<string>
}

/** Reports changed files in some folders. Watches folders, not files, which would be too many for some systems. */
export class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>()
  #mustPoll = false
  #paths = new Set<string>()
  // changes before the first watcher
  #all = true
  #wake: () => void = () => {}

  /** Watches these folders, and no others. */
  watch(folders: readonly string[]): void {
    const wanted = new Set(folders)
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#drop(folder)
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder)
  }

  /** Resolves when something changed, a full scan is due, or the signal aborts. */
  async next(signal: AbortSignal): Promise<Changes> {
    const look = new AbortController()
    const either = AbortSignal.any([signal, look.signal])
    this.#wake = () => look.abort()
    const hasNews = this.#all || this.#paths.size > 0
    const isDue = hasNews || (await sleep(this.#mustPoll ? UNWATCHED_POLL_MS : POLL_MS, either))
    this.#wake = () => {}
    if (this.#all || this.#paths.size > 0) await sleep(DEBOUNCE_MS, signal)
    const changed = { all: this.#all || (isDue && !hasNews), paths: this.#paths }
    this.#paths = new Set()
    this.#all = false
    return changed
  }

  close(): void {
    for (const folder of [...this.#watchers.keys()]) this.#drop(folder)
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => this.#noticed(folder, name))
      watcher.on('error', () => this.#drop(folder))
      this.#watchers.set(folder, watcher)
    } catch {
      // such as too many watchers: poll instead
      this.#mustPoll = true
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  #noticed(folder: string, name: string | null): void {
    if (name?.toLowerCase().endsWith('.jsonl')) this.#paths.add(join(folder, name))
    else this.#all = true
    this.#wake()
  }
}

/** Waits; returns false if the signal aborts first. */
export async function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  return await pause(ms, true, { signal }).catch(() => false)
}
