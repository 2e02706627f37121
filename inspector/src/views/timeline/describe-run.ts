import type { JsonObject, RunOutcome, SessionEvent } from '../../api/types.ts'
import { isRunOutcome } from '../../domain.ts'
import { shortText } from '../../parts/short-json.ts'
import { formatTime } from '../../parts/time.tsx'
import type { EventLine } from './describe.ts'

/** Describes an event of a run, a wake, a request or a rewind in one line; `undefined` for every other type. */
export function describeRunEvent({ type, content }: SessionEvent, parts: JsonObject): EventLine | undefined {
  switch (type) {
    case 'run_started':
      return { label: runName(parts), tone: 'run', text: startText(parts) }
    case 'run_finished':
      return { label: runName(parts), tone: 'run', text: endText(content, parts), ...outcomeOf(parts) }
    case 'cancel_requested':
      return { label: 'stop', tone: 'run', text: content === '' ? 'asked to stop' : `asked to stop: ${content}` }
    case 'step_completed':
      return { label: 'step', tone: 'run', text: stepText(content, parts) }
    case 'wake_scheduled':
      return { label: 'wake', tone: 'run', text: wakeText(parts) }
    case 'wake_fired':
      return { label: 'wake', tone: 'run', text: 'its time has come' }
    case 'request_opened':
      return { label: 'request', tone: 'request', text: `${shortText(parts['kind'], 40)}: ${content}` }
    case 'request_resolved':
      return { label: 'request', tone: 'request', text: `${content} resolved: ${shortText(parts['value'])}` }
    case 'rewound':
      return { label: 'rewound', tone: 'switch', text: rewindText(content, parts) }
    default:
      return undefined
  }
}

const runName = ({ generation }: JsonObject) => (generation === undefined ? 'run' : `run ${shortText(generation, 12)}`)

const startText = ({ worker }: JsonObject) => (worker === undefined ? 'started' : `started by ${shortText(worker, 80)}`)

function endText(content: string, { retryAt }: JsonObject): string {
  return typeof retryAt === 'string' ? `${content} (next try at ${timeText(retryAt)})` : content
}

function outcomeOf({ outcome }: JsonObject): { run?: RunOutcome } {
  return isRunOutcome(outcome) ? { run: outcome } : {}
}

/** The key, and the result in short; some steps have none. */
function stepText(content: string, { key, result }: JsonObject): string {
  const name = key === undefined ? content : shortText(key, 80)
  return result === undefined ? name : `${name} → ${shortText(result)}`
}

function wakeText({ at, key, prompt }: JsonObject): string {
  const name = key === undefined ? '' : ` (${shortText(key, 60)})`
  const said = prompt === undefined ? '' : `: ${shortText(prompt)}`
  return `at ${timeText(shortText(at, 60))}${name}${said}`
}

function rewindText(content: string, { to }: JsonObject): string {
  return `to event ${shortText(to, 12)}${content === '' ? '' : `: ${content}`}`
}

/** A malformed time stays as it is. */
const timeText = (iso: string) => formatTime(iso.slice(0, 60))
