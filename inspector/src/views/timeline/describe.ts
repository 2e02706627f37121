import type { JsonObject, RunOutcome, SessionEvent, SessionState } from '../../api/types.ts'
import { isObject, SESSION_STATES, typedCommand } from '../../domain.ts'
import { shortText } from '../../parts/short-json.ts'
import { isCustomType } from '../../session/event-facts.ts'
import { describeRunEvent } from './describe-run.ts'

/** The color of an event. */
export type Tone =
  | 'user'
  | 'agent'
  | 'tool'
  | 'gate'
  | 'status'
  | 'state'
  | 'switch'
  | 'work'
  | 'run'
  | 'request'
  | 'plain'

/** An event on one line, not yet sanitized. */
export interface EventLine {
  /** The kind of event, or the speaker. */
  readonly label: string
  readonly tone: Tone
  readonly text: string
  /** The state of the session after it. */
  readonly state?: SessionState
  /** How the run ended. */
  readonly run?: RunOutcome
}

/** Describes an event in one line. Unknown types show their content. */
export function describeEvent(event: SessionEvent): EventLine {
  const { type, content, agentId } = event
  const parts = isObject(event.parts) ? event.parts : {}
  switch (type) {
    case 'user_message':
      return { label: speaker('user', agentId), tone: 'user', text: typedCommand(content) ?? content }
    case 'model_message':
      return { label: speaker('assistant', agentId), tone: 'agent', text: content }
    case 'tool_call':
      return { label: 'call', tone: 'tool', text: content }
    case 'tool_result':
      return { label: 'result', tone: 'tool', text: content }
    case 'validation_gate':
      return { label: 'gate', tone: 'gate', text: gateText(parts, content) }
    case 'status_changed':
      return statusLine(content, parts)
    case 'state_changed':
      return { label: 'scratchpad', tone: 'state', text: changeText(parts) ?? content }
    case 'agent_changed':
    case 'agent_transition':
      return switchLine(type, content, parts)
    case 'handoff_taken':
      return { label: 'handoff taken', tone: 'switch', text: agentId === undefined ? content : `by ${agentId}` }
    case 'work_committed':
      return { label: 'work', tone: 'work', text: workText(parts) || content }
    case 'session_compacted':
      return {
        label: 'commit',
        tone: 'work',
        text: `${shortText(parts['kind'], 40)} #${shortText(parts['position'], 12)}: ${content}`,
      }
    default:
      return describeRunEvent(event, parts) ?? otherLine(event, parts)
  }
}

function otherLine({ type, content, parts: given }: SessionEvent, parts: JsonObject): EventLine {
  return { ...otherLabel(type), text: content === '' ? (importedText(parts) ?? shortText(given)) : content }
}

/** Keys that coding agents write into each line of a transcript. */
const COMMON_KEYS: ReadonlySet<string> = new Set([
  ...[
    'type',
    'subtype',
    'uuid',
    'parentUuid',
    'logicalParentUuid',
    'timestamp',
    'sessionId',
    'isSidechain',
    'userType',
  ],
  ...['cwd', 'version', 'gitBranch', 'slug', 'agentId', 'toolUseID', 'parentToolUseID', 'isMeta', 'level'],
])

/** What an imported line says besides what each line says. */
function importedText({ entry }: JsonObject): string | undefined {
  if (!isObject(entry)) return undefined
  const said = Object.entries(entry).filter(([key]) => !COMMON_KEYS.has(key))
  const [only] = said
  return said.length === 1 && isObject(only?.[1]) ? shortText(only[1]) : shortText(Object.fromEntries(said))
}

/** Names that could be mistaken for another role. */
const OTHER_ROLES = /user|human|system/

/** The speaker, with the role where the name could be mistaken for another one. */
function speaker(role: 'user' | 'assistant', agentId: string = role): string {
  const letters = agentId.normalize('NFKC').toLowerCase().replace(/\P{L}/gu, '')
  const isPlain = role === 'user' ? agentId === role : !OTHER_ROLES.test(letters)
  return isPlain ? agentId : `${shortText(agentId, 40)} (${role})`
}

const STATES: ReadonlySet<unknown> = new Set(SESSION_STATES)

/** The state that a `status_changed` leads to. */
export function stateIn({ type, parts }: SessionEvent): SessionState | undefined {
  if (type !== 'status_changed' || !isObject(parts) || !isObject(parts['status'])) return undefined
  const { state } = parts['status']
  return STATES.has(state) ? (state as SessionState) : undefined
}

/** The observations of a work commit, without malformed ones. */
export function observationsIn({ parts }: SessionEvent): readonly JsonObject[] {
  const list = isObject(parts) ? parts['observations'] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

/** Describes an observation in a few words. */
export function describeObservation(observed: JsonObject): string {
  switch (observed['kind']) {
    case 'note':
    case 'plan':
      return `${observed['kind']}: ${shortText(observed['text'])}`
    case 'fileRead':
      return `read ${shortText(observed['path'])}`
    case 'fileWrite':
      return `wrote ${shortText(observed['path'])}`
    case 'command': {
      const { exitCode } = observed
      const outcome = typeof exitCode === 'number' && exitCode !== 0 ? ` (exit ${exitCode})` : ''
      return `ran ${shortText(observed['command'])}${outcome}`
    }
    case 'relations':
      return Array.isArray(observed['edges']) ? `${observed['edges'].length} relations` : 'relations'
    default:
      return shortText(observed)
  }
}

const OTHERS: Readonly<Record<string, string>> = {
  session_started: 'started',
  session_forked: 'forked',
  messages_cleared: 'cleared',
  memory_recall: 'recall',
  system_event: 'system',
  context_summarized: 'summary',
  envelope_updated: 'envelope',
}

function otherLabel(type: string): Pick<EventLine, 'label' | 'tone'> {
  if (type === 'envelope_updated') return { label: 'envelope', tone: 'state' }
  if (type === 'memory_recall' || type === 'context_summarized') return { label: OTHERS[type] ?? type, tone: 'work' }
  return { label: OTHERS[type] ?? (isCustomType(type) ? customName(type) : type), tone: 'plain' }
}

/** A custom type without the name of its source: `progress` for `x.claude-code.progress`. */
export function customName(type: string): string {
  const [, , ...rest] = type.split('.')
  return rest.length === 0 ? type : rest.join('.')
}

function gateText({ gate }: JsonObject, content: string): string {
  return gate === undefined ? content : `${shortText(gate, 40)} passed${content === '' ? '' : `: ${content}`}`
}

function statusLine(content: string, { status }: JsonObject): EventLine {
  const given = isObject(status) ? status : {}
  const { state, question, userMessage, summary, reason, endedBy } = given
  const said = endedBy === 'caller' ? 'ended by the caller' : (question ?? userMessage ?? summary ?? reason)
  const text = said === undefined ? content : shortText(said)
  return { label: 'status', tone: 'status', text, ...(STATES.has(state) && { state: state as SessionState }) }
}

function switchLine(type: string, content: string, { from, to, context }: JsonObject): EventLine {
  const label = context === undefined ? 'agent' : 'handoff'
  const change = `${shortText(from, 60)} → ${shortText(to, 60)}`
  return { label, tone: 'switch', text: type === 'agent_transition' ? `${change}: ${content}` : change }
}

/** Describes a change of the scratchpad; `undefined` for an unknown kind. */
function changeText({ op, patch, value, key, by }: JsonObject): string | undefined {
  switch (op) {
    case 'merge':
      return isObject(patch) ? mergeText(patch) : undefined
    case 'replace':
      return `replaced by ${shortText(value)}`
    case 'add':
      return `${shortText(key, 60)}: added ${shortText(value)}`
    case 'increment':
      return `${shortText(key, 60)} ${typeof by === 'number' && by < 0 ? '−' : '+'} ${Math.abs(Number(by))}`
    default:
      return undefined
  }
}

/** Keys of a patch that are shown on one line. */
const KEYS = 8

function mergeText(patch: JsonObject): string {
  const pieces: string[] = []
  for (const key in patch) {
    if (pieces.length === KEYS) {
      pieces.push('…')
      break
    }
    const value = patch[key]
    pieces.push(value === null ? `${shortText(key, 60)} removed` : `${shortText(key, 60)} = ${shortText(value, 60)}`)
  }
  return pieces.join(', ')
}

/** The observations in short. The note of a transition repeats a message, so it is omitted. */
function workText(parts: JsonObject): string {
  const { kind } = parts
  const seen = observationsIn({ parts } as unknown as SessionEvent)
  const told = seen.filter((one) => one['kind'] !== 'note' || one['about'] === undefined).slice(0, KEYS)
  const rest = seen.length > KEYS ? ['…'] : []
  const list = [...told.map((one) => shortText(describeObservation(one), 60)), ...rest].join(', ')
  return [shortText(kind, 40), list].filter((text) => text !== '').join(': ')
}
