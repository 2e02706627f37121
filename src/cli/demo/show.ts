import { ThroughlineError } from '../../domain/errors.ts'
import { callsOf, type Role, type SessionEvent } from '../../domain/event.ts'
import type { Output } from '../output.ts'
import { table } from '../table.ts'
import { wrapped } from '../text.ts'
import type { Shown } from './narrator.ts'

const COLOURS = { user: 'green', assistant: 'yellow', tool: 'magenta', system: 'gray' } as const satisfies Record<
  Role,
  string
>

/** A line for each event: sequence, type, and what it says or calls. */
export function eventsShown(events: readonly SessionEvent[], { paint }: Output): Shown {
  const rows = table(events, [
    { value: ({ sequence }) => String(sequence).padStart(2), paint: (text) => paint('dim', text) },
    { value: ({ type }) => type, paint: (text, { role }) => paint(COLOURS[role], text) },
    { value: saidIn, width: 50 },
  ])
  return { lines: rows.split('\n'), data: events }
}

function saidIn(event: SessionEvent): string {
  const calls = callsOf(event).map(({ name, arguments: given }) => `${name}(${JSON.stringify(given)})`)
  return [event.content, ...calls].filter(Boolean).join(' ')
}

/** Names and values on one line. */
export function factsShown(facts: Readonly<Record<string, string | number>>): Shown {
  const line = Object.entries(facts).map(([name, value]) => `${name} ${value}`)
  return { lines: [line.join(', ')], data: facts }
}

/** The refusal that a call must meet. */
export async function refusalOf(call: () => Promise<unknown>): Promise<ThroughlineError> {
  try {
    await call()
  } catch (error) {
    if (error instanceof ThroughlineError) return error
    throw error
  }
  throw new Error('a call went through that should have been refused')
}

export function refusalShown({ code, message, details }: ThroughlineError, { paint }: Output): Shown {
  return { lines: [paint('red', code), ...wrapped(message, 72)], data: { code, message, details } }
}
