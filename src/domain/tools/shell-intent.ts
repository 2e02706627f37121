import { isObject, type Json } from '../json.ts'
import { patchedFiles } from './apply-patch.ts'
import { printedFiles } from './shell-reads.ts'
import { commandLine, type IntentReader } from './tool-intent.ts'

/** Runs a command, which may print files; `apply_patch` as a command changes files instead. */
export function runsInShell(...keys: readonly string[]): IntentReader {
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
  if (typeof command !== 'string' || !Array.isArray(more) || more.length === 0) return runsInShell('command')(given)
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
