import type { Observation } from '../graph.ts'
import { truncateText } from '../graph.ts'
import type { Json } from '../json.ts'
import { KNOWN_TOOLS } from './known-tools.ts'
import { argumentsOf, type IntentReader, reads, runs, type ToolIntent, writes } from './tool-intent.ts'

/** A call of a tool with its result. */
export interface ToolUse {
  /** Id of the call. */
  id: string
  name: string
  arguments: Json
  result: string
  /** The result is marked as an error. */
  isError: boolean
}

/** Says what a tool of the caller does: its arguments with paths or a command, a function, or `false` for nothing. */
export type ToolRule = false | ToolArguments | ((use: ToolUse) => readonly Observation[])

/** Names of arguments; each holds a text or a list of texts. */
export interface ToolArguments {
  readonly fileRead?: string | undefined
  readonly fileWrite?: string | undefined
  readonly command?: string | undefined
}

/** What tool calls mean. */
export interface ToolTable {
  /** Equal for tables with the same meaning: what one derived from a log, another can continue. */
  readonly name: string
  /** What a call is about to do; `undefined` if the tool is unknown or the arguments are malformed. */
  intentOf(name: string, given: Json): ToolIntent | undefined
  /** What the caller's function says about a call; empty for other tools. */
  observe(use: ToolUse): readonly Observation[]
}

/** Changes with every change of what the known tools mean. */
const VERSION = '2'
/** Maximum characters of a tool's name, and of the arguments that a function gets, as JSON. */
const MAX_NAME = 512
const MAX_ARGUMENTS = 64 * 1024

/** The known tools, and the caller's, which come first. `mark` tells tables with different rules of callers apart. */
export function toolTable(own: ReadonlyMap<string, ToolRule> = new Map(), mark = ''): ToolTable {
  const ruleOf = (name: string) => own.get(name) ?? own.get(plainName(name))
  return {
    name: mark === '' ? VERSION : `${VERSION} ${mark}`,
    intentOf(name, given) {
      const rule = ruleOf(name)
      const tool = truncateText(name, MAX_NAME)
      if (rule === false) return undefined
      if (typeof rule === 'function') {
        return JSON.stringify(given).length > MAX_ARGUMENTS ? undefined : { tool, arguments: given }
      }
      const read = rule === undefined ? knownTool(name) : argumentReader(rule)
      const intent = read?.(argumentsOf(given))
      return intent && { tool, ...intent }
    },
    observe(use) {
      const rule = ruleOf(use.name)
      return typeof rule === 'function' ? rule(use) : []
    },
  }
}

function knownTool(name: string): IntentReader | undefined {
  return KNOWN_TOOLS.get(name) ?? KNOWN_TOOLS.get(plainName(name).replaceAll('-', '_'))
}

/** The name without its server or namespace: `mcp__files__read_file` and `files.read_file` are `read_file`. */
function plainName(name: string): string {
  return (
    name
      .slice(0, 1000)
      .split(/__|[./:]/)
      .at(-1) ?? name
  )
}

function argumentReader({ fileRead, fileWrite, command }: ToolArguments): IntentReader {
  return (given) => {
    const found = {
      ...(fileRead !== undefined && reads(fileRead)(given)),
      ...(fileWrite !== undefined && writes(fileWrite)(given)),
      ...(command !== undefined && runs(command)(given)),
    }
    return Object.keys(found).length === 0 ? undefined : found
  }
}
