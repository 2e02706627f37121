import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds to let changes gather: one message is written as several lines. */
const DEBOUNCE_MS = 200
/** Milliseconds between two looks at everything, since changes may go unnoticed; and where nothing can be watched. */
const POLL_MS = 3000
const UNWATCHED_POLL_MS = 1000

/** What to look at. */
export interface Changes {
  /** Everything: something was made or removed, or it is time. */
  readonly all: boolean
  readonly paths: ReadonlySet<string>
}

/** Tells when files in some folders may have changed. One watcher for each folder: those of files would be too many for some systems. */
export class FolderWatcher {
  readonly #watchers = new Map<string, FSWatcher>()
  #isBlind = false
  #paths = new Set<string>()
  // what came before the first watcher
  #all = true
  #wake: () => void = () => {}

  /** Watches these folders, and no others. */
  watch(folders: readonly string[]): void {
    const wanted = new Set(folders)
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#drop(folder)
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder)
  }

  /** Resolves when there is something to look at, or it is time, or the signal says so. */
  async next(signal: AbortSignal): Promise<Changes> {
    const look = new AbortController()
    const either = AbortSignal.any([signal, look.signal])
    this.#wake = () => look.abort()
    const hasNews = this.#all || this.#paths.size > 0
    const isDue = hasNews || (await sleep(this.#isBlind ? UNWATCHED_POLL_MS : POLL_MS, either))
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
      // such as too many watchers for the system: looking has to do
      this.#isBlind = true
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

/** Waits; false if the signal came first. */
export async function sleep(ms: number, signal: AbortSignal): Promise<boolean> {
  return await pause(ms, true, { signal }).catch(() => false)
}
