import { answeredCallId, type SessionEvent, toolCallsOf } from '../event.ts'
import { type Observation, truncateText } from '../graph.ts'
import { isObject, type Json } from '../json.ts'
import type { ToolIntent } from './tool-intent.ts'
import {
  type CommandOutcome,
  claudeCodeOutcome,
  commandOutcome,
  isPatched,
  notifiedEnd,
  processOutcome,
  type ToolResult,
} from './tool-outcome.ts'
import type { ToolTable } from './tool-table.ts'
import { userDecisions } from './user-decisions.ts'

/** What the result of a tool call showed. */
export interface ToolWork {
  tool: string
  observations: Observation[]
  /** The steps that are left of a plan; absent if the call made none. */
  openSteps?: string[]
}

/** Types of the events that a fold reads. */
export const TOOL_WORK_TYPES = ['session_started', 'system_event', 'model_message', 'tool_call', 'tool_result'] as const

/** Pairs tool calls with their results, event by event, in bounded memory. */
export interface ToolFold {
  /** The work that this event completes. */
  add(event: Pick<SessionEvent, 'type' | 'content' | 'parts'>): ToolWork | undefined
  /** Everything that later events need, as JSON text, to continue with {@link toolFold}. */
  state(): string
}

/** Maximum calls without a result, commands in the background, and characters of what is kept of them. */
const MAX_CALLS = 1000
const MAX_PROCESSES = 100
const MAX_SIZE = 256 * 1024
const MAX_ID = 500
const MAX_FOLDER = 1024
/** Characters of a result in which paths are looked for. */
const MAX_SEARCHED = 1024 * 1024

interface FoldState {
  folder?: string
  calls: [id: string, intent: ToolIntent][]
  processes: [id: string, started: { tool: string; command: string }][]
}

/** See {@link ToolFold}. Total: unknown and malformed calls are skipped. `state` comes from an earlier fold. */
export function toolFold(table: ToolTable, state = ''): ToolFold {
  const before: FoldState = state === '' ? { calls: [], processes: [] } : JSON.parse(state)
  let { folder } = before
  const calls = boundedQueue(before.calls, MAX_CALLS)
  const processes = boundedQueue(before.processes, MAX_PROCESSES)

  function workOf(id: string, { tool, ...intent }: ToolIntent, result: ToolResult): ToolWork {
    const { reads = [], writes = [], command, process, plan, questions, form } = intent
    const made: Observation[] = []
    const outcome = command === undefined ? undefined : outcomeOf(form, result)
    if (isDone(form, outcome, result)) {
      const failed = form === 'several-files' ? failedIn(result.text, reads) : []
      const done = reads.filter((path) => !failed.includes(path))
      made.push(...done.map((path): Observation => ({ kind: 'fileRead', path: withoutFolder(path, folder) })))
      made.push(...writes.map((path): Observation => ({ kind: 'fileWrite', path: withoutFolder(path, folder) })))
    }
    if (command !== undefined && outcome !== undefined) {
      if (outcome.process !== undefined) processes.put(outcome.process, { tool, command })
      if (outcome.ran) made.push(commandOf(command, outcome.exitCode))
    }
    if (process !== undefined) made.push(...(endOf(process, processOutcome(result))?.observations ?? []))
    if (result.isError) return { tool, observations: made }
    const node = truncateText(id, MAX_ID)
    if (questions !== undefined) made.push(...userDecisions(questions, result.text).map(decisionOf(node)))
    if (plan === undefined) return { tool, observations: made }
    return { tool, observations: [...made, { kind: 'plan', id: node, text: plan.text }], openSteps: plan.openSteps }
  }

  /** The command in the background that ended, with its exit code. */
  function endOf(process: string, exitCode: number | undefined): ToolWork | undefined {
    const started = exitCode === undefined ? undefined : processes.take(process)
    return started && { tool: started.tool, observations: [commandOf(started.command, exitCode)] }
  }

  return {
    add(event) {
      if (event.type === 'session_started') folder = folderOf(event.parts)
      if (event.type === 'system_event') {
        const ended = notifiedEnd(event.content)
        return ended && endOf(ended.process, ended.exitCode)
      }
      for (const { id, name, arguments: given = null } of toolCallsOf(event)) {
        if (typeof name !== 'string' || id.length > MAX_ID) continue
        const intent = table.intentOf(name, given)
        if (intent === undefined) calls.take(id)
        else calls.put(id, intent)
      }
      const id = answeredCallId(event)
      const intent = id === undefined ? undefined : calls.take(id)
      if (id === undefined || intent === undefined) return undefined
      const isError = isObject(event.parts) && event.parts['isError'] === true
      if (intent.arguments === undefined) return workOf(id, intent, { text: event.content, isError })
      const use = { id, name: intent.tool, arguments: intent.arguments, result: event.content, isError }
      return { tool: intent.tool, observations: table.observe(use).map((one) => placed(one, folder)) }
    },
    state() {
      const now: FoldState = { calls: calls.entries(), processes: processes.entries() }
      return JSON.stringify(folder === undefined ? now : { folder, ...now })
    },
  }
}

function outcomeOf(form: ToolIntent['form'], result: ToolResult): CommandOutcome {
  return form === 'claude-code' ? claudeCodeOutcome(result) : commandOutcome(result)
}

/** Whether files were read or changed: a command that failed may have stopped before. */
function isDone(form: ToolIntent['form'], outcome: CommandOutcome | undefined, result: ToolResult): boolean {
  if (form === 'patch') return isPatched(result)
  return !result.isError && (outcome?.exitCode ?? 0) === 0
}

function decisionOf(id: string) {
  return (text: string, i: number): Observation => ({
    kind: 'note',
    id: i === 0 ? id : `${id}/${i + 1}`,
    text: `Decision: ${text}`,
  })
}

/** The files that could not be read, of several in one result. */
function failedIn(text: string, paths: readonly string[]): string[] {
  const start = text.slice(0, MAX_SEARCHED)
  return paths.filter((path) => start.includes(`${path}: Error - `))
}

function commandOf(command: string, exitCode: number | undefined): Observation {
  return { kind: 'command', command, ...(exitCode !== undefined && { exitCode }) }
}

/** The folder that the session works in, if its metadata names one. */
function folderOf(parts: Json | undefined): string | undefined {
  const metadata = isObject(parts) ? parts['metadata'] : undefined
  const cwd = isObject(metadata) ? metadata['cwd'] : undefined
  return typeof cwd === 'string' && cwd.length <= MAX_FOLDER ? cwd.replace(/[\\/]+$/, '') : undefined
}

/** The path from the session's folder, if it is in there. */
function withoutFolder(path: string, folder = ''): string {
  const inside = folder !== '' && path.startsWith(folder) ? path.slice(folder.length) : ''
  if (/^[\\/]+[^\\/]/.test(inside)) return inside.replace(/^[\\/]+/, '')
  return path.replace(/^(?:\.\/)+(?=.)/, '')
}

function placed(observation: Observation, folder: string | undefined): Observation {
  if (observation.kind !== 'fileRead' && observation.kind !== 'fileWrite') return observation
  return { ...observation, path: withoutFolder(observation.path, folder) }
}

/** Entries in order of their last `put`; the oldest are dropped beyond a number, or a size as JSON. */
function boundedQueue<T>(before: readonly [string, T][], most: number) {
  const found = new Map<string, { value: T; size: number }>()
  let total = 0
  function take(key: string): T | undefined {
    const entry = found.get(key)
    if (entry === undefined) return undefined
    found.delete(key)
    total -= entry.size
    return entry.value
  }
  function put(key: string, value: T): void {
    take(key)
    const size = key.length + JSON.stringify(value).length
    found.set(key, { value, size })
    total += size
    while (found.size > most || total > MAX_SIZE) take(found.keys().next().value as string)
  }
  for (const [key, value] of before) put(key, value)
  return { take, put, entries: (): [string, T][] => Array.from(found, ([key, { value }]) => [key, value]) }
}
