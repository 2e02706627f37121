import type { SessionEvent } from '../../domain/event.ts'
import { hasFailed, type Observation, observationsOf } from '../../domain/graph.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { SESSION_STATES } from '../../domain/record.ts'
import type { Style } from '../output.ts'
import { pluralize, toOneLine } from '../text.ts'
import { STATE_STYLE } from './state-style.ts'

/** Label and text of an event. Not sanitized yet. */
export interface EventDescription {
  label: string
  text: string
  labelStyle?: Style
  textStyle?: Style
  /** Keeps its lines and is wrapped; other texts take one line. */
  isSpeech?: true
}

const MAX_VALUE_WIDTH = 60

/** Describes an event. Unknown types show their content. */
export function describeEvent(event: SessionEvent): EventDescription {
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
      return { label: 'gate', text: `${asText(parts['gate'])} passed: ${content}`, labelStyle: 'green' }
    case 'status_changed':
      return describeStatus(content, isObject(parts['status']) ? parts['status'] : {})
    case 'state_changed':
      return { label: 'state', text: describeStateChange(parts) ?? content }
    case 'agent_changed':
    case 'agent_transition':
      return describeAgentSwitch(event, parts)
    case 'handoff_taken':
      return { label: 'handoff', text: `taken by ${agentId ?? 'an unnamed agent'}` }
    case 'work_committed':
      return { label: 'work', text: describeWork(event, parts), textStyle: 'dim' }
    case 'session_compacted':
      return { label: 'commit', text: `${asText(parts['kind'])}, number ${asText(parts['position'])}: ${content}` }
    case 'request_opened':
      return {
        label: 'request',
        text: `${asText(parts['id'])} (${asText(parts['kind'])}): ${content}`,
        labelStyle: 'yellow',
      }
    case 'request_resolved':
      return {
        label: 'request',
        text: `${asText(parts['id'])} resolved: ${asText(parts['value'])}`,
        labelStyle: 'yellow',
      }
    case 'rewound':
      return {
        label: 'rewind',
        text: content === '' ? `to ${asText(parts['to'])}` : `to ${asText(parts['to'])}: ${content}`,
      }
    default:
      return describeOther(event)
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

function describeOther({ type, content, parts }: SessionEvent): EventDescription {
  const text = content === '' && parts !== undefined ? JSON.stringify(parts) : content
  return { label: LABELS[type] ?? type, text, ...(type === 'x.thinking' && { textStyle: 'dim' }) }
}

function describeStatus(content: string, status: JsonObject): EventDescription {
  const state = SESSION_STATES.find((one) => one === status['state'])
  const why = status['endedBy'] === 'caller' ? 'ended by the caller' : (status['reason'] ?? content)
  const text = `${state ?? 'unknown'}: ${asText(why)}`
  return { label: 'status', text, ...defined({ textStyle: state && STATE_STYLE[state] }) }
}

function describeAgentSwitch({ type, content }: SessionEvent, parts: JsonObject): EventDescription {
  const change = `${asText(parts['from'])} → ${asText(parts['to'])}`
  const label = parts['context'] === undefined ? 'switch' : 'handoff'
  return { label, text: type === 'agent_transition' ? `${change}: ${content}` : change, labelStyle: 'magenta' }
}

/** Describes a change of the scratchpad; `undefined` for an unknown operation. */
function describeStateChange({ op, patch, value, key, by }: JsonObject): string | undefined {
  switch (op) {
    case 'merge':
      return isObject(patch) ? Object.entries(patch).map(describeAssignment).join(', ') : undefined
    case 'replace':
      return `replaced with ${asText(value)}`
    case 'add':
      return `added ${asText(value)} to ${asText(key)}`
    case 'increment':
      return `${asText(key)} ${typeof by === 'number' && by < 0 ? '-' : '+'} ${Math.abs(Number(by))}`
    default:
      return undefined
  }
}

function describeAssignment([key, value]: [string, Json]): string {
  return value === null ? `${key} removed` : `${key} = ${toOneLine(asText(value), MAX_VALUE_WIDTH)}`
}

/** Lists observations. Skips the note of a transition, which repeats a message. */
function describeWork(event: SessionEvent, { kind }: JsonObject): string {
  const seen = observationsOf(event).filter((one) => one.kind !== 'note' || one.about === undefined)
  return [asText(kind), seen.map(describeObservation).join(', ')].filter((text) => text !== '').join(': ')
}

function describeObservation(observed: Observation): string {
  switch (observed.kind) {
    case 'note':
    case 'plan':
      return toOneLine(`${observed.kind} “${observed.text}”`, MAX_VALUE_WIDTH)
    case 'fileRead':
      return `read ${observed.path}`
    case 'fileWrite':
      return `wrote ${observed.path}`
    case 'command': {
      const outcome = hasFailed(observed) ? ` (exit code ${observed.exitCode})` : ''
      return `ran ${toOneLine(observed.command, MAX_VALUE_WIDTH)}${outcome}`
    }
    case 'relations':
      return pluralize(observed.edges.length, 'relation')
  }
}

/** Returns a text unchanged, anything else as JSON. */
export function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '?')
}
