import type { EventFacts } from '../../session/event-facts.ts'
import type { Outline } from '../../session/outline.ts'

/** The events of a row, and how many open groups it is in. */
interface Span {
  readonly from: number
  readonly to: number
  readonly depth: number
}

/** One event. */
export interface EventEntry extends Span {
  readonly kind: 'event'
}

/** Events that are not loaded. */
export interface GapEntry extends Span {
  readonly kind: 'gap'
}

/** How often a tool was called, and how many of the calls failed. */
export interface ToolCount {
  readonly name: string
  readonly calls: number
  readonly failed: number
}

/** The steps of a turn: its calls with their results, and what was said and logged between them. */
export interface StepsEntry extends Span {
  readonly kind: 'steps'
  readonly isOpen: boolean
  /** The most called first. */
  readonly tools: readonly ToolCount[]
  readonly calls: number
  readonly failed: number
  /** Calls without a result. */
  readonly open: number
  readonly messages: number
  readonly custom: number
  /** Milliseconds from the first event to the last. */
  readonly ms: number
}

/** Custom events in a row, and results that are shown with their call. */
export interface NoiseEntry extends Span {
  readonly kind: 'noise'
  readonly isOpen: boolean
  /** Events of each type, the most frequent first. */
  readonly types: readonly (readonly [type: string, count: number])[]
  readonly results: number
}

export type Entry = EventEntry | GapEntry | StepsEntry | NoiseEntry

/** Whether the row stands for several events, and can be opened. */
export const isGroup = (entry: Entry): entry is StepsEntry | NoiseEntry =>
  entry.kind === 'steps' || entry.kind === 'noise'

/** Groups that the reader opened: each is named by a sequence in it. */
export interface OpenGroups {
  readonly steps: ReadonlySet<number>
  readonly noise: ReadonlySet<number>
}

/** Calls from which steps are collapsed: a few are as easy to read one by one. */
const CALLS = 4

/** The log between two sequences as rows: steps and noise collapsed, unless they are open. */
export function groupedRows(outline: Outline, from: number, to: number, open: OpenGroups): Entry[] {
  const rows: Entry[] = []
  let segment: EventFacts[] = []
  const flush = () => {
    addSegment(rows, segment, open)
    segment = []
  }
  for (const piece of outline.pieces(from, to)) {
    if (piece.kind === 'gap') {
      flush()
      rows.push({ ...piece, depth: 0 })
    } else if (piece.kind === 'turn' || piece.kind === 'mark') {
      flush()
      rows.push(entryOf(piece, 0))
    } else segment.push(piece)
  }
  flush()
  return rows
}

/** One event as a row. */
export const eventEntry = (sequence: number, depth = 0): EventEntry => ({
  kind: 'event',
  from: sequence,
  to: sequence,
  depth,
})

const entryOf = ({ sequence }: EventFacts, depth: number) => eventEntry(sequence, depth)

/** Adds consecutive events of one turn, none of which has to stand alone. */
function addSegment(rows: Entry[], segment: readonly EventFacts[], open: OpenGroups): void {
  const first = segment.findIndex(({ calls }) => calls.length > 0)
  const last = segment.findLastIndex(({ kind, calls }) => calls.length > 0 || kind === 'result')
  const known = new Set<string>()
  const steps = first < 0 ? [] : segment.slice(first, last + 1)
  const add = (events: readonly EventFacts[], depth: number) => addPlain(rows, events, { known, depth, open })
  if (steps.reduce((sum, { calls }) => sum + calls.length, 0) < CALLS) add(segment, 0)
  else {
    add(segment.slice(0, first), 0)
    const entry = stepsOf(steps, open.steps)
    rows.push(entry)
    if (entry.isOpen) add(steps, 1)
    add(segment.slice(last + 1), 0)
  }
}

interface Plain {
  /** Ids of the calls so far. */
  readonly known: Set<string>
  readonly depth: number
  readonly open: OpenGroups
}

/** Adds events one by one, with noise collapsed. */
function addPlain(rows: Entry[], events: readonly EventFacts[], { known, depth, open }: Plain): void {
  let run: EventFacts[] = []
  const flush = () => {
    const isNoise = run.length > 1 && run.some(({ kind }) => kind === 'noise')
    const noise = isNoise ? noiseOf(run, depth, open.noise) : undefined
    if (noise !== undefined) rows.push(noise)
    const inner = noise === undefined ? depth : depth + 1
    if (noise?.isOpen !== false) for (const event of run) rows.push(entryOf(event, inner))
    run = []
  }
  for (const event of events) {
    for (const { id } of event.calls) if (id !== undefined) known.add(id)
    const isPaired = event.kind === 'result' && event.resultOf !== undefined && known.has(event.resultOf)
    if (event.kind === 'noise' || isPaired) run.push(event)
    else {
      flush()
      rows.push(entryOf(event, depth))
    }
  }
  flush()
}

function noiseOf(run: readonly EventFacts[], depth: number, open: ReadonlySet<number>): NoiseEntry {
  const [from, to] = rangeOf(run)
  const types = new Map<string, number>()
  let results = 0
  for (const { kind, type } of run) {
    if (kind === 'noise') types.set(type, (types.get(type) ?? 0) + 1)
    else results++
  }
  return { kind: 'noise', from, to, depth, isOpen: holds(open, from, to), types: sorted(types), results }
}

function stepsOf(steps: readonly EventFacts[], open: ReadonlySet<number>): StepsEntry {
  const [from, to] = rangeOf(steps)
  const counts = countCalls(steps)
  return {
    kind: 'steps',
    from,
    to,
    depth: 0,
    isOpen: holds(open, from, to),
    ...counts,
    messages: steps.filter(({ kind }) => kind === 'text').length,
    custom: steps.filter(({ kind }) => kind === 'noise').length,
    ms: Math.max(0, (steps.at(-1)?.at ?? 0) - (steps[0]?.at ?? 0)) || 0,
  }
}

/** Calls by tool, the most called first, and how they ended. */
export function countCalls(events: Iterable<EventFacts>): Pick<StepsEntry, 'tools' | 'calls' | 'failed' | 'open'> {
  const tools = new Map<string, { name: string; calls: number; failed: number }>()
  const pending = new Map<string, string>()
  let calls = 0
  let failed = 0
  let open = 0
  for (const event of events) {
    for (const { id, name } of event.calls) {
      calls++
      const tool = tools.get(name) ?? { name, calls: 0, failed: 0 }
      tool.calls++
      tools.set(name, tool)
      if (id !== undefined) pending.set(id, name)
      else open++
    }
    const name = event.resultOf === undefined ? undefined : pending.get(event.resultOf)
    if (name === undefined) continue
    pending.delete(event.resultOf ?? '')
    if (!event.hasFailed) continue
    failed++
    const tool = tools.get(name)
    if (tool !== undefined) tool.failed++
  }
  const list = [...tools.values()].sort((a, b) => b.calls - a.calls || (a.name < b.name ? -1 : 1))
  return { tools: list, calls, failed, open: open + pending.size }
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort((a, b) => b[1] - a[1])

const rangeOf = (events: readonly EventFacts[]) => [events[0]?.sequence ?? 0, events.at(-1)?.sequence ?? 0] as const

function holds(open: ReadonlySet<number>, from: number, to: number): boolean {
  for (const sequence of open) if (sequence >= from && sequence <= to) return true
  return false
}
