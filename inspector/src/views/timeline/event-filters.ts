import type { SessionEvent } from '../../api/types.ts'
import { callsIn } from './tool-calls.ts'

/** Names of the filters. */
export const FILTER_NAMES = ['all', 'messages', 'tools', 'state', 'runs', 'work', 'own'] as const

export type FilterName = (typeof FILTER_NAMES)[number]

/** Which events a filter shows. */
export interface EventFilter {
  readonly name: string
  /** Tooltip. */
  readonly title: string
  /** Types to ask the server for; without them, every page of the log is read. */
  readonly types?: readonly string[]
  readonly isShown: (event: SessionEvent) => boolean
}

const ofTypes = (name: string, title: string, types: readonly string[]): EventFilter => ({
  name,
  title,
  types,
  isShown: ({ type }) => types.includes(type),
})

export const EVENT_FILTERS: Readonly<Record<FilterName, EventFilter>> = {
  all: { name: 'All', title: 'All events', isShown: () => true },
  messages: ofTypes('Messages', 'Messages from the user, the model and the system', [
    'user_message',
    'model_message',
    'system_event',
  ]),
  tools: {
    name: 'Tools',
    title: 'Tool calls with their results',
    types: ['tool_call', 'tool_result', 'model_message'],
    isShown: (event) => event.type === 'tool_result' || callsIn(event).length > 0,
  },
  state: ofTypes('State', 'Status, scratchpad, agents, gates, envelope, requests, rewinds', [
    'session_started',
    'session_forked',
    'status_changed',
    'state_changed',
    'agent_changed',
    'agent_transition',
    'handoff_taken',
    'validation_gate',
    'messages_cleared',
    'envelope_updated',
    'request_opened',
    'request_resolved',
    'rewound',
  ]),
  runs: ofTypes('Runs', 'Runs with their steps, stops and wakes', [
    'run_started',
    'run_finished',
    'cancel_requested',
    'step_completed',
    'wake_scheduled',
    'wake_fired',
  ]),
  work: ofTypes('Work', 'Work commits, commits, summaries and recalls', [
    'work_committed',
    'session_compacted',
    'context_summarized',
    'memory_recall',
  ]),
  own: { name: 'Custom', title: 'Custom event types (x.…)', isShown: ({ type }) => type.startsWith('x.') },
}

/** The filter of that name, else `all`. */
export function filterNamed(name: string | null): FilterName {
  return FILTER_NAMES.find((show) => show === name) ?? 'all'
}
