import { type SessionEvent, toolCallsOf } from '../event.ts'
import type { JsonObject } from '../json.ts'
import { type Form, type Forms, nameOf } from './forms.ts'
import { hasText, type Unit } from './units.ts'

/** A unit in the form in which it is sent. */
export interface Chosen {
  readonly unit: Unit
  readonly form: Form
}

/** Events as they are sent, in order, and which of them were changed. */
export interface Rendered {
  readonly events: SessionEvent[]
  /** Results with a line in their place. */
  readonly replaced: SessionEvent[]
  /** Events with texts that lost their middle. */
  readonly shortened: SessionEvent[]
}

/** Renders units, oldest first. Events that are sent whole stay as they are; changed ones lose their other parts. */
export async function renderUnits(chosen: readonly Chosen[], forms: Forms): Promise<Rendered> {
  const events = new Map<number, SessionEvent>()
  const replaced: SessionEvent[] = []
  const shortened = new Set<SessionEvent>()
  for (const group of groupByEvent(chosen)) {
    const { event } = (group[0] as Chosen).unit
    const calls: JsonObject[] = []
    let content = ''
    for (const { unit, form } of group) {
      const text = unit.call === undefined ? await forms.text(unit, form) : await forms.arguments(unit, form)
      if (text.isShortened) shortened.add(event)
      if (unit.call === undefined) content = text.text
      else calls.push({ id: unit.call.id, name: nameOf(unit), arguments: text.text })
      for (const result of unit.results) {
        const { text: shown, ...how } = await forms.result(unit, result, form)
        if (how.isReplaced) replaced.push(result)
        if (how.isShortened) shortened.add(result)
        events.set(result.sequence, how.isReplaced || how.isShortened ? withResult(result, shown) : result)
      }
    }
    const isWhole = !shortened.has(event) && group.length === unitCount(event)
    events.set(event.sequence, isWhole ? event : withMessage(event, content, calls))
  }
  return {
    events: [...events.values()].toSorted((a, b) => a.sequence - b.sequence),
    replaced: replaced.toSorted((a, b) => a.sequence - b.sequence),
    shortened: [...shortened].toSorted((a, b) => a.sequence - b.sequence),
  }
}

/** Units of one event follow each other. */
function groupByEvent(chosen: readonly Chosen[]): Chosen[][] {
  const groups: Chosen[][] = []
  for (const one of chosen) {
    const group = groups.at(-1)
    if (group?.[0]?.unit.event === one.unit.event) group.push(one)
    else groups.push([one])
  }
  return groups
}

/** Number of units that an event has. */
function unitCount(event: SessionEvent): number {
  return toolCallsOf(event).length + (hasText(event) ? 1 : 0)
}

/** The event without its parts. */
function bare({ parts: _parts, ...event }: SessionEvent): SessionEvent {
  return event
}

/** A message whose text or calls were changed, or some of whose calls are left out. */
function withMessage(event: SessionEvent, content: string, calls: readonly JsonObject[]): SessionEvent {
  const [call] = calls
  if (call === undefined) return { ...bare(event), content }
  return { ...bare(event), content, parts: event.type === 'tool_call' ? call : { toolCalls: calls } }
}

function withResult(result: SessionEvent, content: string): SessionEvent {
  const { toolCallId = '', isError } = result.parts as { toolCallId?: string; isError?: boolean }
  return { ...result, content, parts: { toolCallId, ...(isError === true && { isError }) } }
}
