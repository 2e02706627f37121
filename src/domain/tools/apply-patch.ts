import { isObject, type Json } from '../json.ts'
import type { IntentReader } from './tool-intent.ts'

/** The lines of a patch that name a file. */
const FILE_LINE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm
const BEGIN = '*** Begin Patch'
/** Maximum files of one patch, and characters of a path. */
const MAX_FILES = 50
const MAX_PATH = 1024

/** The files that a patch adds, changes, deletes and renames, in the format of Codex. */
export function patchedFiles(patch: string): string[] {
  const start = patch.indexOf(BEGIN)
  if (start < 0) return []
  const found = new Set<string>()
  for (const [, path = ''] of patch.slice(start).matchAll(FILE_LINE)) {
    if (path.trim() !== '' && path.length <= MAX_PATH) found.add(path.trim())
    if (found.size === MAX_FILES) break
  }
  return [...found]
}

/** Applies a patch: as text, or one operation `{ type, path }` in OpenAI's form. */
export const patches: IntentReader = (given) => {
  const text = ['input', 'patch'].map((key) => given[key]).find((value) => typeof value === 'string')
  const files = text === undefined ? operationFiles(given['operation']) : patchedFiles(text as string)
  return files.length === 0 ? undefined : { writes: files, form: 'patch' }
}

function operationFiles(operation: Json | undefined): string[] {
  const path = isObject(operation) ? operation['path'] : undefined
  return typeof path === 'string' && path !== '' && path.length <= MAX_PATH ? [path] : []
}
