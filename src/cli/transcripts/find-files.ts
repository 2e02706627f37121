import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A file that may be a transcript. */
export interface TranscriptFile {
  readonly path: string
  /** Named on the command line, not found in a folder. */
  readonly isNamed: boolean
  readonly size: number
  /** Changes whenever the file changes. */
  readonly version: string
  /** Time of the last write, in milliseconds. */
  readonly modifiedAt: number
}

/** Files and folders below the given paths. */
export interface FoundFiles {
  readonly files: TranscriptFile[]
  /** Folders to watch for new files. */
  readonly folders: string[]
  readonly problems: { file: string; message: string }[]
}

const isTranscript = (name: string) => name.toLowerCase().endsWith('.jsonl')
/** Codex compresses rollouts that were not used for long. */
const isCompressed = (name: string) => name.toLowerCase().endsWith('.jsonl.zst')

/**
 * Finds the named files and every *.jsonl in the named folders, sorted by path. Reports unreadable paths as problems.
 */
export async function findFiles(paths: readonly string[]): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], folders: [], problems: [] }
  for (const path of new Set(paths)) await visit(path, { isNamed: true }, found)
  const byPath = new Map(found.files.map((file) => [file.path, file]))
  return { ...found, files: [...byPath.values()] }
}

async function visit(
  path: string,
  { isNamed = false, isLink = false }: { isNamed?: boolean; isLink?: boolean },
  found: FoundFiles,
): Promise<void> {
  try {
    const stats = await stat(path)
    if (stats.isFile() && isCompressed(path)) throw new Error('it is compressed; decompress it with zstd -d')
    if (stats.isFile()) {
      if (isNamed) found.folders.push(dirname(path))
      found.files.push(toTranscriptFile(path, isNamed, stats))
      return
    }
    // reading a pipe would block
    if (!stats.isDirectory()) throw new Error('not a regular file')
    // a link may form a cycle
    if (isLink) throw new Error('a link to a folder; name the folder itself')
    found.folders.push(path)
    const entries = await readdir(path, { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const isLink = entry.isSymbolicLink()
      const isFile = isTranscript(entry.name) || isCompressed(entry.name)
      if (entry.isDirectory() || isFile) await visit(join(path, entry.name), { isLink }, found)
    }
  } catch (error) {
    found.problems.push({ file: path, message: `cannot be read: ${(error as Error).message}` })
  }
}

/** Current state of a file; `undefined` if it is gone or not a regular file. */
export async function findFile(path: string, isNamed: boolean): Promise<TranscriptFile | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? toTranscriptFile(path, isNamed, found) : undefined
}

function toTranscriptFile(
  path: string,
  isNamed: boolean,
  found: { size: number; mtimeMs: number; ino: number },
): TranscriptFile {
  const { size, mtimeMs, ino } = found
  return { path, isNamed, size, version: `${ino} ${size} ${mtimeMs}`, modifiedAt: mtimeMs }
}
