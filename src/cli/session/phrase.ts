import type { SessionEvent } from '../../domain/event.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { SESSION_STATES, type SessionState } from '../../domain/record.ts'
import { hasFailed, type Observation, observationsOf } from '../../domain/work.ts'
import type { Style } from '../output.ts'
import { counted, oneLine } from '../text.ts'
import { STATE_STYLE } from './state-style.ts'

/** What an event says, in words for people. Nothing in it is safe to print yet. */
export interface Phrase {
  label: string
  text: string
  labelStyle?: Style
  textStyle?: Style
  /** Speech: it keeps its lines, and is wrapped. All else goes on one line. */
  isSpeech?: true
}

/** Columns that one of several values may take. */
const VALUE = 60

/** Says what happened. Total: of what it does not know it gives the content. */
export function phraseOf(event: SessionEvent): Phrase {
  const { type, content, agentId } = event
  const parts = isObject(event.parts) ? event.parts : {}
  switch (type) {
    case 'user_message':
      return { label: agentId ?? 'user', text: content, labelStyle: ['bold', 'cyan'], isSpeech: true }
    case 'model_message':
      return { label: agentId ?? 'agent', text: content, labelStyle: ['bold', 'green'], isSpeech: true }
    case 'tool_call':
      return { label: 'call', text: content, labelStyle: 'blue' }
    case 'tool_result':
      return { label: 'result', text: content, labelStyle: parts['isError'] === true ? 'red' : 'blue' }
    case 'validation_gate':
      return { label: 'gate', text: `${plain(parts['gate'])} passed: ${content}`, labelStyle: 'green' }
    case 'status_changed':
      return statusPhrase(content, isObject(parts['status']) ? parts['status'] : {})
    case 'state_changed':
      return { label: 'state', text: changeText(parts) ?? content }
    case 'agent_changed':
    case 'agent_transition':
      return switchPhrase(event, parts)
    case 'handoff_taken':
      return { label: 'handoff', text: `taken by ${agentId ?? 'no one named'}` }
    case 'work_committed':
      return { label: 'work', text: workText(event, parts), textStyle: 'dim' }
    case 'session_compacted':
      return { label: 'commit', text: `${plain(parts['kind'])}, number ${plain(parts['position'])}: ${content}` }
    default:
      return otherPhrase(event)
  }
}

const LABELS: Readonly<Record<string, string>> = {
  session_started: 'start',
  session_forked: 'fork',
  messages_cleared: 'clear',
  memory_recall: 'recall',
  system_event: 'note',
  context_summarized: 'summary',
  envelope_updated: 'envelope',
}

function otherPhrase({ type, content, parts }: SessionEvent): Phrase {
  const text = content === '' && parts !== undefined ? JSON.stringify(parts) : content
  return { label: LABELS[type] ?? type, text, ...(type === 'x.thinking' && { textStyle: 'dim' }) }
}

function statusPhrase(content: string, status: JsonObject): Phrase {
  const state = SESSION_STATES.find((one) => one === status['state'])
  const why = status['endedBy'] === 'caller' ? 'ended by the caller' : (status['reason'] ?? content)
  const text = `${state ?? 'unknown'}: ${plain(why)}`
  return { label: 'status', text, ...(state !== undefined && { textStyle: styleOf(state) }) }
}

const styleOf = (state: SessionState) => STATE_STYLE[state]

function switchPhrase({ type, content }: SessionEvent, parts: JsonObject): Phrase {
  const change = `${plain(parts['from'])} → ${plain(parts['to'])}`
  const label = parts['context'] === undefined ? 'switch' : 'handoff'
  return { label, text: type === 'agent_transition' ? `${change}: ${content}` : change, labelStyle: 'magenta' }
}

/** What became of the scratchpad; `undefined` for a change of a kind that is not known. */
function changeText({ op, patch, value, key, by }: JsonObject): string | undefined {
  switch (op) {
    case 'merge':
      return isObject(patch) ? Object.entries(patch).map(setText).join(', ') : undefined
    case 'replace':
      return `replaced by ${plain(value)}`
    case 'add':
      return `${plain(key)} gets ${plain(value)}`
    case 'increment':
      return `${plain(key)} ${typeof by === 'number' && by < 0 ? '-' : '+'} ${Math.abs(Number(by))}`
    default:
      return undefined
  }
}

function setText([key, value]: [string, Json]): string {
  return value === null ? `${key} removed` : `${key} = ${oneLine(plain(value), VALUE)}`
}

/** What was observed. The note of a transition repeats what was said: its kind will do. */
function workText(event: SessionEvent, { kind }: JsonObject): string {
  const seen = observationsOf(event).filter((one) => one.kind !== 'note' || one.about === undefined)
  return [plain(kind), seen.map(observedText).join(', ')].filter((text) => text !== '').join(': ')
}

function observedText(observed: Observation): string {
  switch (observed.kind) {
    case 'note':
    case 'plan':
      return oneLine(`${observed.kind} “${observed.text}”`, VALUE)
    case 'fileRead':
      return `read ${observed.path}`
    case 'fileWrite':
      return `wrote ${observed.path}`
    case 'command': {
      const outcome = hasFailed(observed) ? ` (failed with ${observed.exitCode})` : ''
      return `ran ${oneLine(observed.command, VALUE)}${outcome}`
    }
    case 'relations':
      return counted(observed.edges.length, 'relation')
  }
}

/** A text as it is, anything else as JSON. */
export function plain(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '?')
}
