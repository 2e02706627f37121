import { answeredCallId, type SessionEvent, startsTurn, toolCallsOf } from './event.ts'
import { DECISION, nodeOf, type Observation, observationsOf, statedEdges, truncateText } from './graph.ts'
import { isObject } from './json.ts'
import { type ToolTable, toolTable } from './tools/tool-table.ts'
import { toolFold } from './tools/tool-work.ts'
import { typedCommand } from './typed-command.ts'

/** Maximum entries per list: the newest are kept, the others counted. */
const MAX_ENTRIES = 200
/** Maximum characters of a text. */
const MAX_TEXT = 1000
/** User messages kept, and characters of each. */
const MAX_REQUESTS = 20
const MAX_REQUEST = 400
/** Characters kept of the report. */
const MAX_REPORT = 4000

/** The work of a session in lists of bounded size. Texts are cut after 1,000 characters. */
export interface WorkSummary {
  /** The starts of the last user messages, each on one line. */
  requests: string[]
  decisions: string[]
  /** Unique paths, in order of first read. */
  filesRead: string[]
  /** The last write of each path. */
  filesWritten: { path: string; hash?: string; bytes?: number }[]
  /** The last run of each command. */
  commands: { command: string; exitCode?: number }[]
  plans: string[]
  /** Asked but not answered. */
  openQuestions: string[]
  /** Steps that are left of the last plan. */
  openSteps: string[]
  /** Tools whose calls in the last turn have no result. */
  openCalls: string[]
  /** The longest message after the last write or command, within its turn: what the agent says it did. */
  report?: string
  turns: number
  toolCalls: number
  /** Times of the first and the last event. */
  firstAt?: string
  lastAt?: string
  /** Dropped entries per list; an entry dropped twice counts twice. */
  omitted: { [List in 'decisions' | 'filesRead' | 'filesWritten' | 'commands' | 'plans']?: number }
}

/** Collects the work of a log event by event, in bounded memory. */
export interface WorkBuilder {
  /** Reads only the folder of the session from its first event, before events that do not start with it. */
  start(first: SessionEvent): void
  add(event: SessionEvent): void
  finish(): WorkSummary
}

/** Summarizes the work in these events. */
export function summarizeWork(events: Iterable<SessionEvent>, tools?: ToolTable): WorkSummary {
  const builder = workBuilder(tools)
  for (const event of events) builder.add(event)
  return builder.finish()
}

/**
 * See {@link WorkBuilder}. Total: events without work are skipped. `tools` says what tool calls mean. @default the
 * known tools
 */
export function workBuilder(tools = toolTable()): WorkBuilder {
  const lists = {
    decisions: boundedMap<string>(),
    filesRead: boundedMap<string>(),
    filesWritten: boundedMap<WorkSummary['filesWritten'][number]>(),
    commands: boundedMap<WorkSummary['commands'][number]>(),
    plans: boundedMap<string>(),
  }
  /** A message may announce a call that a `tool_call` repeats: they count once until the result. */
  const openCalls = boundedMap<{ tool: string; turn: number }>()
  const toolCallWork = toolFold(tools)
  /** The plan of the last tool call that made one: it replaces the one before. */
  let plan: string | undefined
  let openSteps: string[] = []
  let report = ''
  /** Whether a write or a command was seen since the last user message. */
  let isAtWork = false
  const requests: string[] = []
  let question: string | undefined
  let turns = 0
  let toolCalls = 0
  let times: Pick<WorkSummary, 'firstAt' | 'lastAt'> = {}

  function observe(observed: Observation, notes: ReadonlyMap<string, string>): void {
    switch (observed.kind) {
      case 'note':
        if (DECISION.test(observed.text)) putOnce(lists.decisions, decisionIn(observed.text))
        return
      case 'plan':
        putOnce(lists.plans, cut(observed.text))
        return
      case 'fileRead':
        putOnce(lists.filesRead, cut(observed.path))
        return
      case 'fileWrite': {
        const { hash, bytes } = observed
        const path = cut(observed.path)
        lists.filesWritten.put(path, {
          path,
          ...(typeof hash === 'string' && { hash: cut(hash) }),
          ...(typeof bytes === 'number' && { bytes }),
        })
        return
      }
      case 'command': {
        const { exitCode } = observed
        const command = cut(observed.command)
        lists.commands.put(command, { command, ...(typeof exitCode === 'number' && { exitCode }) })
        return
      }
      case 'relations':
        for (const decision of decisionsStated(observed, notes)) putOnce(lists.decisions, decision)
    }
  }

  return {
    start(first) {
      toolCallWork.add(first)
    },
    add(event) {
      times = { firstAt: event.createdAt, ...times, lastAt: event.createdAt }
      if (startsTurn(event)) {
        turns++
        isAtWork = false
        const request = requestOf(event.content.slice(0, 4 * MAX_REQUEST))
        if (request !== '') requests.push(request)
        if (requests.length > MAX_REQUESTS) requests.shift()
      }
      for (const { id, name } of toolCallsOf(event)) {
        if (!openCalls.has(cut(id))) toolCalls++
        openCalls.put(cut(id), { tool: typeof name === 'string' ? cut(name) : '', turn: turns })
      }
      openCalls.remove(cut(answeredCallId(event) ?? ''))
      if (event.type === 'status_changed') question = questionAfter(event, question)
      const called = toolCallWork.add(event)
      if (called?.openSteps !== undefined) {
        if (plan !== undefined) lists.plans.remove(plan)
        plan = called.observations.map((one) => (one.kind === 'plan' ? cut(one.text) : '')).join('')
        openSteps = called.openSteps
      }
      const all: readonly Observation[] = called?.observations ?? observationsOf(event)
      // a message that a command in the background has ended is not what the agent does
      if (event.type !== 'system_event' && all.some(({ kind }) => kind === 'fileWrite' || kind === 'command')) {
        isAtWork = true
        report = ''
      }
      if (isAtWork && event.type === 'model_message' && event.content.length > report.length)
        report = truncateText(event.content.trim(), MAX_REPORT)
      const notes = notesByNode(all)
      for (const observed of all) observe(observed, notes)
    },
    finish() {
      const { decisions, filesRead, filesWritten, commands, plans } = lists
      const unanswered = openCalls.values().filter(({ turn }) => turn === turns)
      const omitted = Object.entries(lists).flatMap(([name, { omitted: n }]) => (n() > 0 ? [[name, n()]] : []))
      return {
        requests: [...requests],
        decisions: decisions.values(),
        filesRead: filesRead.values(),
        filesWritten: filesWritten.values(),
        commands: commands.values(),
        plans: plans.values(),
        openQuestions: question === undefined ? [] : [question],
        openSteps,
        openCalls: [...new Set(unanswered.map(({ tool }) => tool))],
        turns,
        toolCalls,
        ...(report !== '' && { report }),
        ...times,
        omitted: Object.fromEntries(omitted),
      }
    },
  }
}

/** A user message on one line; of a command in tags only what the user typed. */
function requestOf(text: string): string {
  const words = typedCommand(text) ?? text
  return truncateText(words.replace(/\s+/g, ' ').trim(), MAX_REQUEST)
}

const cut = (text: string) => truncateText(text, MAX_TEXT)

function decisionIn(note: string): string {
  return cut(note.replace(DECISION, ''))
}

/** Texts of a commit's notes by node; of several with one id the first. */
function notesByNode(all: readonly Observation[]): ReadonlyMap<string, string> {
  const notes = all.flatMap((one) => (one.kind === 'note' ? [[nodeOf('note', one.id), one.text] as const] : []))
  return new Map(notes.reverse())
}

/** Returns decisions of `decidedIn` edges: the text of a note of the same commit, else the node's name. */
function decisionsStated(observed: Observation, notes: ReadonlyMap<string, string>): string[] {
  const decided = statedEdges(observed).filter(({ label }) => label === 'decidedIn')
  return decided.map(({ from }) => {
    const note = notes.get(from)
    return note === undefined ? cut(from.slice(from.indexOf(':') + 1)) : decisionIn(note)
  })
}

/** A question is open until the work continues; an end leaves it open. */
function questionAfter({ parts }: SessionEvent, before: string | undefined): string | undefined {
  const status = isObject(parts) && isObject(parts['status']) ? parts['status'] : {}
  if (typeof status['question'] === 'string') return cut(status['question'])
  return status['state'] === 'running' ? undefined : before
}

type BoundedMap<T> = ReturnType<typeof boundedMap<T>>

function putOnce(list: BoundedMap<string>, text: string): void {
  if (!list.has(text)) list.put(text, text)
}

/** A map in insertion order; beyond {@link MAX_ENTRIES} the oldest entry is dropped and counted. */
function boundedMap<T>() {
  const entries = new Map<string, T>()
  let omitted = 0
  function put(key: string, value: T): void {
    entries.delete(key)
    entries.set(key, value)
    if (entries.size <= MAX_ENTRIES) return
    entries.delete(entries.keys().next().value as string)
    omitted++
  }
  return {
    put,
    has: (key: string) => entries.has(key),
    remove: (key: string) => entries.delete(key),
    values: () => [...entries.values()],
    omitted: () => omitted,
  }
}
