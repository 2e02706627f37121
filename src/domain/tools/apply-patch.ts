import { isObject, type Json } from '../json.ts'
import { printedFiles } from './shell-reads.ts'
import { commandLine, type IntentReader } from './tool-intent.ts'

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

/** Runs a command, which may print files; `apply_patch` as a command changes files instead. */
export function runsOrPatches(...keys: readonly string[]): IntentReader {
  return (given) => {
    const action = given['action']
    const value =
      keys.map((key) => given[key]).find((each) => each !== undefined) ??
      (isObject(action) ? (action['command'] ?? action['commands']) : undefined)
    const words: readonly Json[] = Array.isArray(value) ? value : [value ?? null]
    const last = words.at(-1)
    const isPatch = words[0] === 'apply_patch' || (typeof last === 'string' && /^\s*apply_patch\b/.test(last))
    const files = isPatch && typeof last === 'string' ? patchedFiles(last) : []
    if (files.length > 0) return { writes: files, form: 'patch' }
    const command = commandLine(value)
    if (command === undefined) return undefined
    const { workdir, working_directory: folder = workdir } = given
    const reads = printedFiles(command, typeof folder === 'string' ? folder : '')
    return reads.length === 0 ? { command } : { command, reads }
  }
}

/** A command with its arguments in a second key, as a list or as JSON text of a list. */
export const runsWithArguments: IntentReader = (given) => {
  const { command, args } = given
  const more = typeof args === 'string' ? listIn(args) : args
  if (typeof command !== 'string' || !Array.isArray(more) || more.length === 0) return runsOrPatches('command')(given)
  const line = commandLine([command, ...more])
  return line === undefined ? undefined : { command: line }
}

function listIn(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
