import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A file that may be a transcript. */
export interface TranscriptFile {
  readonly path: string
  /** It was named, rather than found in a folder. */
  readonly isNamed: boolean
  readonly size: number
  /** Changes when the file does. */
  readonly version: string
  /** When it was last written to, in milliseconds. */
  readonly modifiedAt: number
}

/** What is below the paths that were given. */
export interface FoundFiles {
  readonly files: TranscriptFile[]
  /** Folders in which new files may show up. */
  readonly folders: string[]
  readonly problems: { file: string; message: string }[]
}

const isTranscript = (name: string) => name.toLowerCase().endsWith('.jsonl')

/** The files that were named, and every *.jsonl in the folders that were, in the order of their paths. What cannot be read does not hide the rest. */
export async function findFiles(paths: readonly string[]): Promise<FoundFiles> {
  const walk: FoundFiles = { files: [], folders: [], problems: [] }
  for (const path of new Set(paths)) await visit(path, { isNamed: true }, walk)
  const byPath = new Map(walk.files.map((file) => [file.path, file]))
  return { ...walk, files: [...byPath.values()] }
}

async function visit(
  path: string,
  { isNamed = false, isLink = false }: { isNamed?: boolean; isLink?: boolean },
  walk: FoundFiles,
): Promise<void> {
  try {
    const found = await stat(path)
    if (found.isFile()) {
      if (isNamed) walk.folders.push(dirname(path))
      walk.files.push(toTranscriptFile(path, isNamed, found))
      return
    }
    // a pipe would be waited for
    if (!found.isDirectory()) throw new Error('it is no file')
    // it may lead in a circle
    if (isLink) throw new Error('it is a link to a folder; name the folder itself')
    walk.folders.push(path)
    const entries = await readdir(path, { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const isLink = entry.isSymbolicLink()
      if (entry.isDirectory() || isTranscript(entry.name)) await visit(join(path, entry.name), { isLink }, walk)
    }
  } catch (error) {
    walk.problems.push({ file: path, message: `cannot be read: ${(error as Error).message}` })
  }
}

/** How a file is now; `undefined` if it is none, or gone. */
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
