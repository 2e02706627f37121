import type { SessionEvent } from './event.ts'
import type { SessionView } from './fold.ts'
import { defined } from './optional.ts'
import type { SessionStatus } from './record.ts'
import type { OpenRequest } from './request.ts'
import type { Scratchpad } from './scratchpad.ts'

/**
 * Ranges of sequences that a rewind took off the current line, both ends included, in ascending order. At least one
 * visible event is between two of them.
 */
export type HiddenRanges = readonly (readonly [from: number, to: number])[]

/** Hidden ranges that a session may have: the parts of each `rewound` event and the row of the session repeat them. */
export const MAX_HIDDEN = 1000

/** What a rewind restores, as it was right after its target. */
export interface RestoredViews {
  scratchpad: Scratchpad
  status: SessionStatus
  activeAgent: string
  clearedAt: number
  requests?: readonly OpenRequest[]
  hidden?: HiddenRanges
  /** Ids of the wakes that were pending. Those that still are stay, later ones are dropped. */
  wakes?: readonly string[]
}

/**
 * The nesting level at which the parts of an event begin. Those of `rewound` repeat values that another event has up to
 * three levels higher, where they may have used all levels.
 */
export function partsLevel(type: string): number {
  return type === 'rewound' ? -2 : 1
}

/** Parts of `rewound`; its content is the reason. */
export interface RewoundParts {
  /** Sequence of the event after which the session continues. */
  to: number
  restored: RestoredViews
}

/** What a rewind to the last event of these views restores. */
export function restoredFrom({ record, state, clearedAt, requests, hidden, run }: SessionView): RestoredViews {
  const wakes = run?.wakes.map(({ id }) => id) ?? []
  return defined({
    scratchpad: state.scratchpad,
    status: record.status,
    activeAgent: record.activeAgent,
    clearedAt,
    requests,
    hidden,
    wakes: wakes.length === 0 ? undefined : wakes,
  })
}

/** Applies `rewound`. The version of the scratchpad goes on counting; runs, usage, envelope and commits stay. */
export function evolveRewind(view: SessionView, event: SessionEvent): SessionView {
  const { to, restored } = event.parts as unknown as RewoundParts
  const { scratchpad, status, activeAgent, clearedAt, requests = [], wakes = [] } = restored
  const { requests: open = [], requestsAt, hidden: _before, run, ...rest } = view
  const ids = (list: readonly OpenRequest[]) => JSON.stringify(list.map(({ id }) => id))
  const hidden = hiddenAfter(restored.hidden, to, event.sequence)
  return {
    ...rest,
    record: { ...view.record, status, activeAgent },
    state: { scratchpad, version: view.state.version + 1, updatedAt: event.createdAt },
    clearedAt,
    ...(hidden.length > 0 && { hidden }),
    ...(requests.length > 0 && { requests }),
    ...(ids(open) !== ids(requests) ? { requestsAt: event.createdAt } : requestsAt !== undefined && { requestsAt }),
    ...(run !== undefined && { run: { ...run, wakes: run.wakes.filter(({ id }) => wakes.includes(id)) } }),
  }
}

/** The hidden ranges after a `rewound` event at `sequence`; `atTarget` are those after its target `to`. */
export function hiddenAfter(atTarget: HiddenRanges = [], to: number, sequence: number): HiddenRanges {
  return to + 1 < sequence ? [...atTarget, [to + 1, sequence - 1]] : atTarget
}

/** Whether an event is not on the current line. */
export function isHidden(hidden: HiddenRanges | undefined, sequence: number): boolean {
  return hiddenRangeOf(hidden, sequence) !== undefined
}

/** The range that hides an event. */
function hiddenRangeOf(hidden: HiddenRanges = [], sequence: number): HiddenRanges[number] | undefined {
  // by halving: a session may have many ranges
  let [low, high] = [0, hidden.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((hidden[middle]?.[1] ?? 0) < sequence) low = middle + 1
    else high = middle
  }
  const found = hidden[low]
  return found !== undefined && found[0] <= sequence ? found : undefined
}

/** The parts of a range on the line, in the given order. All ends are exclusive. */
export function visibleSpans(
  hidden: HiddenRanges,
  { after, before }: { after: number; before: number },
  order: 'asc' | 'desc',
): { after: number; before: number }[] {
  const spans: { after: number; before: number }[] = []
  let start = after
  for (const [from, to] of hidden) {
    if (to <= start) continue
    if (from >= before) break
    if (from > start + 1) spans.push({ after: start, before: from })
    start = to
  }
  if (before > start + 1) spans.push({ after: start, before })
  return order === 'asc' ? spans : spans.reverse()
}

/** Whether two views of one session show the same line, apart from events that one of them does not have yet. */
export function isSameLine(one: HiddenRanges | undefined, other: HiddenRanges | undefined): boolean {
  return one === other || JSON.stringify(one ?? []) === JSON.stringify(other ?? [])
}

/** A `rewound` event. */
export interface Rewind {
  sequence: number
  to: number
}

/**
 * The last event on the current line that leads to `sequence`: where its branch left the line.
 *
 * @param rewinds those of the whole log, newest first
 */
export function branchPoint(rewinds: readonly Rewind[], hidden: HiddenRanges | undefined, sequence: number): number {
  let at = sequence
  for (const rewind of rewinds) {
    if (rewind.sequence > at) continue
    const visible = lastVisible(hidden, at)
    // events from the rewind on follow each other; before it comes its target
    if (visible >= rewind.sequence) return visible
    at = rewind.to
  }
  return lastVisible(hidden, at)
}

function lastVisible(hidden: HiddenRanges | undefined, sequence: number): number {
  return (hiddenRangeOf(hidden, sequence)?.[0] ?? sequence + 1) - 1
}
