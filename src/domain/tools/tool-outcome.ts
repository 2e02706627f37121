import { isObject, type Json, type JsonObject } from '../json.ts'

/** The result of a tool call as it was logged. */
export interface ToolResult {
  text: string
  /** The result is marked as an error. */
  isError: boolean
}

/** How a command went. */
export interface CommandOutcome {
  /** False if it was refused before it started. */
  ran: boolean
  /** Absent if the result does not tell. */
  exitCode?: number
  /** It continues in the background under this id. */
  process?: string
}

/** Characters at either end of a result in which a code is looked for. */
const NEAR = 2000
/** Longest result that is read as JSON. */
const MAX_JSON = 256 * 1024
/** Lines at either end of a result that may tell the exit code. */
const LINES = 6

/**
 * The outcome of Claude Code's Bash: an error starts with `Exit code N`; every other result of a command that was not
 * moved to the background is a success. An error without a code was refused, or was stopped.
 */
export function claudeCodeOutcome({ text, isError }: ToolResult): CommandOutcome {
  const start = text.slice(0, NEAR)
  const code = /^(?:Error: )?Exit code (\d{1,9})\b/.exec(start)?.[1]
  if (code !== undefined) return { ran: true, exitCode: Number(code) }
  if (isError)
    return { ran: !/^(?:Error: )?(?:<tool_use_error>|The user doesn't want to |\[Request interrupted)/.test(start) }
  const moved = /^Command [^\n]*background[^\n]*?\bID: ([\w-]{1,100})/.exec(start)?.[1]
  return moved === undefined ? { ran: true, exitCode: 0 } : { ran: true, process: moved }
}

/** The outcome of any other command: what the result says about an exit code or a running process. */
export function commandOutcome({ text }: ToolResult): CommandOutcome {
  const inJson = codeInJson(parsedObject(text))
  if (inJson !== undefined) return { ran: true, exitCode: inJson }
  const [header = '', output] = splitHeader(text)
  const process = /^Process running with session ID (\d{1,20})$/m.exec(header)?.[1]
  if (process !== undefined) return { ran: true, process }
  // what follows the header is the output of the command, which may say anything
  const code = codeIn(header) ?? (output === undefined ? codeIn(lastLines(text)) : undefined)
  return code === undefined ? { ran: true } : { ran: true, exitCode: code }
}

/** The exit code of a command in the background, once it has ended. */
export function processOutcome(result: ToolResult): number | undefined {
  const tag = /<exit_code>(-?\d{1,9})<\/exit_code>/.exec(result.text.slice(0, NEAR))?.[1]
  return tag === undefined ? commandOutcome(result).exitCode : Number(tag)
}

/** The end of a command in the background, which Claude Code tells the model in a message of its own. */
export function notifiedEnd(message: string): { process: string; exitCode: number } | undefined {
  const text = message.slice(0, NEAR)
  if (!/^\s*<task-notification>/.test(text)) return undefined
  const process = /<task-id>([\w-]{1,100})<\/task-id>/.exec(text)?.[1]
  const code = /\bexit code (-?\d{1,9})\)?<\/summary>/.exec(text)?.[1]
  return process === undefined || code === undefined ? undefined : { process, exitCode: Number(code) }
}

/** Whether a patch was applied. */
export function isPatched(result: ToolResult): boolean {
  if (result.isError || /^(?:apply_patch verification failed|patch rejected)/i.test(result.text)) return false
  return (commandOutcome(result).exitCode ?? 0) === 0
}

/** Codex puts facts in lines before `Output:`; other results have no such line. */
function splitHeader(text: string): [header: string, output?: string] {
  const start = text.slice(0, NEAR)
  const end = start.search(/^Output:$/m)
  const lines = (end < 0 ? start : start.slice(0, end)).split('\n', LINES).join('\n')
  return end < 0 ? [lines] : [lines, start.slice(end)]
}

function lastLines(text: string): string {
  return text.slice(-NEAR).trimEnd().split('\n').slice(-LINES).join('\n')
}

const CODE = /\b(?:exit(?:ed)?(?: with)?(?: exit)?[ _-]?code|exit status|return[ _]code)(?: was)?:? *(-?\d{1,9})\b/i

function codeIn(lines: string): number | undefined {
  const code = CODE.exec(lines)?.[1]
  return code === undefined ? undefined : Number(code)
}

function parsedObject(text: string): JsonObject | undefined {
  if (!/^\s*[{[]/.test(text.slice(0, 100)) || text.length > MAX_JSON) return undefined
  try {
    const parsed: Json = JSON.parse(text)
    const value = Array.isArray(parsed) ? parsed[0] : parsed
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const CODE_KEYS = ['exit_code', 'exitCode', 'return_code', 'returncode', 'returnCode']
/** Objects in a result that may hold the code. */
const INNER_KEYS = ['metadata', 'outcome', 'output', 'result']

function codeInJson(value: Json | undefined, depth = 0): number | undefined {
  if (Array.isArray(value)) return codeInJson(value.at(-1), depth)
  if (!isObject(value) || depth > 2) return undefined
  const code = CODE_KEYS.map((key) => value[key]).find((each) => Number.isSafeInteger(each))
  if (typeof code === 'number') return code
  return INNER_KEYS.map((key) => codeInJson(value[key], depth + 1)).find((each) => each !== undefined)
}
