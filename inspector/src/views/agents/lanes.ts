import type { SessionEvent } from '../../api/types.ts'
import { activeAt, type Span, type Switch } from './switches.ts'

/** An event as far as the lanes need it. */
export interface LaneEvent {
  readonly sequence: number
  readonly type: string
  readonly at: string
  readonly isUser: boolean
  /** The agent it names. */
  readonly agent: string | undefined
  /** Whether it counts for the active agent if it names none. */
  readonly isWork: boolean
}

/** Drops the text of an event, which may be large. */
export function toLaneEvent({ sequence, type, createdAt, role, agentId }: SessionEvent): LaneEvent {
  const isUser = role === 'user'
  const isWork = role === 'assistant' || role === 'tool'
  return { sequence, type, at: createdAt, isUser, agent: agentId, isWork }
}

/** Everything one agent, or the user, did. */
export interface Lane {
  /** `undefined`: the user. */
  readonly agent: string | undefined
  readonly spans: readonly Span[]
  readonly marks: readonly LaneEvent[]
  /** Events, of those that were read. */
  readonly events: number
  /** Turns in which it was active, of those that were read. */
  readonly turns: number
  /** Share of the known log during which it was active, 0 to 1. */
  readonly share: number
}

interface Draft {
  readonly agent: string | undefined
  readonly spans: Span[]
  readonly marks: LaneEvent[]
  readonly turns: Set<number>
}

/** A lane for the user and for each agent, in order of appearance; beyond `most`, those active last. */
export function lanesOf(
  spans: readonly Span[],
  events: readonly LaneEvent[],
  most: number,
): { lanes: readonly Lane[]; leftOut: number } {
  const drafts = new Map<string | undefined, Draft>()
  const draft = (agent: string | undefined): Draft => {
    const known = drafts.get(agent) ?? { agent, spans: [], marks: [], turns: new Set<number>() }
    drafts.set(agent, known)
    return known
  }
  draft(undefined)
  for (const span of spans) draft(span.agent).spans.push(span)
  let turn = 0
  for (const event of events) {
    const active = activeAt(spans, event.sequence)
    if (event.type === 'user_message') turn++
    if (active !== undefined) draft(active).turns.add(turn)
    if (event.isUser) draft(undefined).marks.push(event)
    else if (event.agent !== undefined) draft(event.agent).marks.push(event)
    else if (event.isWork && active !== undefined) draft(active).marks.push(event)
  }
  // a switch belongs to the agent it switches to
  const length = (list: readonly Span[]) =>
    list.reduce((sum, span) => sum + span.to - span.from + (span === spans.at(-1) ? 1 : 0), 0)
  const whole = length(spans)
  const all: Lane[] = [...drafts.values()].map(({ turns, ...rest }) => ({
    ...rest,
    events: rest.marks.length,
    // events before the first message belong to the first turn
    turns: turns.size - (turns.has(0) && turns.has(1) ? 1 : 0),
    share: whole === 0 ? 0 : length(rest.spans) / whole,
  }))
  const seen = ({ agent, spans, marks }: Lane) =>
    agent === undefined ? Number.POSITIVE_INFINITY : Math.max(spans.at(-1)?.to ?? 0, marks.at(-1)?.sequence ?? 0)
  const kept = new Set(all.toSorted((a, b) => seen(b) - seen(a)).slice(0, most))
  return { lanes: all.filter((lane) => kept.has(lane)), leftOut: all.length - kept.size }
}

/** A line between two lanes. */
export interface Connector {
  readonly switch: Switch
  /** Indexes of the lanes, from the top. */
  readonly from: number
  readonly to: number
}

/** Connectors of the last `most` switches between lanes that are shown. */
export function connectorsOf(lanes: readonly Lane[], switches: readonly Switch[], most: number): Connector[] {
  const places = new Map(lanes.map(({ agent }, i) => [agent, i]))
  return switches.slice(-most).flatMap((made) => {
    const from = places.get(made.from)
    const to = places.get(made.to)
    return from === undefined || to === undefined ? [] : [{ switch: made, from, to }]
  })
}
