import { truncateText } from '../graph.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Question } from './user-decisions.ts'

/** What a tool call is about to do. Bounded, and JSON: views keep it until the result is there. */
export interface ToolIntent {
  /** Name of the tool. */
  tool: string
  reads?: string[]
  writes?: string[]
  command?: string
  /** It waits for a command that continued in the background under this id. */
  process?: string
  plan?: { text: string; openSteps: string[] }
  /** It asks the user: the answers are decisions. */
  questions?: Question[]
  /** How its result tells success. @default by the error flag, and by an exit code in the text */
  form?: 'claude-code' | 'patch' | 'several-files'
  /** For a tool that the caller's function reads: its arguments. */
  arguments?: Json
}

/** Reads the arguments of one tool; `undefined` if they are not what the tool takes. */
export type IntentReader = (given: JsonObject) => Omit<ToolIntent, 'tool'> | undefined

/** Maximum paths of one call, characters of a path, and of a command or plan. */
const MAX_PATHS = 50
const MAX_PATH = 1024
const MAX_TEXT = 1000
/** Maximum steps of a plan, and characters of one. */
const MAX_STEPS = 50
const MAX_STEP = 200

/** The arguments as an object: a provider may send them as JSON text, and a patch as plain text. */
export function argumentsOf(value: Json): JsonObject {
  if (isObject(value)) return value
  if (typeof value !== 'string') return {}
  try {
    const parsed: Json = JSON.parse(value)
    return isObject(parsed) ? parsed : { input: value }
  } catch {
    return { input: value }
  }
}

/** A text or a list of texts at one of the keys; blank and overlong ones are left out. */
export function textsAt(given: JsonObject, ...keys: readonly string[]): string[] {
  const found = keys.map((key) => given[key]).find((value) => value !== undefined)
  const all = Array.isArray(found) ? found.slice(0, MAX_PATHS) : [found]
  return all.filter((value): value is string => typeof value === 'string' && value !== '' && value.length <= MAX_PATH)
}

/** Reads files at the paths under one of the keys. */
export function reads(...keys: readonly string[]): IntentReader {
  return (given) => intentIfAny('reads', textsAt(given, ...keys))
}

/** Changes, moves or deletes files at the paths under these keys. */
export function writes(...keys: readonly string[]): IntentReader {
  return (given) =>
    intentIfAny(
      'writes',
      keys.flatMap((key) => textsAt(given, key)),
    )
}

function intentIfAny(what: 'reads' | 'writes', paths: string[]): Omit<ToolIntent, 'tool'> | undefined {
  return paths.length === 0 ? undefined : { [what]: paths }
}

/** Runs the command under one of the keys. */
export function runs(...keys: readonly string[]): IntentReader {
  return (given) => {
    const command = commandLine(keys.map((key) => given[key]).find((value) => value !== undefined))
    return command === undefined ? undefined : { command }
  }
}

/** A command as one line: `["bash", "-lc", "make test"]` is `make test`. */
export function commandLine(value: Json | undefined): string | undefined {
  const words: readonly Json[] = Array.isArray(value) ? value : [value ?? null]
  if (!words.every((word) => typeof word === 'string')) return undefined
  const [shell = '', flag = '', script] = words
  const isScript = words.length === 3 && /(^|[\\/])(ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag)
  const line = (isScript ? (script ?? '') : words.slice(0, MAX_TEXT).map(quoted(words.length)).join(' ')).trim()
  return line === '' ? undefined : truncateText(line, MAX_TEXT)
}

/** Words of a list are quoted where the shell would split them; a single word is a line already. */
const quoted = (count: number) => (word: string) => (count > 1 && /\s/.test(word) ? JSON.stringify(word) : word)

/** Waits for the command that runs under the id at the key. */
export function waitsFor(key: string): IntentReader {
  return (given) => {
    const id = given[key]
    const isId = typeof id === 'number' || (typeof id === 'string' && id !== '' && id.length <= MAX_STEP)
    return isId ? { process: String(id) } : undefined
  }
}

/** Replaces the plan by the steps at a key; `text` is the key of a step's text. */
export function plans(key: string, text: string): IntentReader {
  return (given) => {
    const list = given[key]
    const steps = (Array.isArray(list) ? list.slice(0, MAX_STEPS) : []).flatMap((step) => {
      if (!isObject(step)) return []
      const { [text]: words, status } = step
      if (typeof words !== 'string' || words.trim() === '') return []
      const isOpen = status !== 'completed' && status !== 'cancelled'
      return [{ text: truncateText(words.replace(/\s+/g, ' ').trim(), MAX_STEP), isOpen }]
    })
    if (steps.length === 0) return undefined
    const lines = steps.map((step) => `${step.isOpen ? '[ ]' : '[x]'} ${step.text}`).join('\n')
    const openSteps = steps.filter(({ isOpen }) => isOpen).map((step) => step.text)
    return { plan: { text: truncateText(lines, MAX_TEXT), openSteps } }
  }
}

/** Proposes the plan at a key as a text. */
export function proposes(key: string): IntentReader {
  return (given) => {
    const text = given[key]
    if (typeof text !== 'string' || text.trim() === '') return undefined
    return { plan: { text: truncateText(text.trim(), MAX_TEXT), openSteps: [] } }
  }
}
