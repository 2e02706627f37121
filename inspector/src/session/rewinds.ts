import type { HiddenRanges, RewoundParts, SessionEvent } from '../api/types.ts'
import { hiddenAfter, isObject } from '../domain.ts'

/** A `rewound` event, without the views that it restores. */
export interface Rewind {
  readonly sequence: number
  /** The event after which the session went on. */
  readonly to: number
  readonly reason: string
  /** Ranges that are not on the line after it. */
  readonly hidden: HiddenRanges
}

export const REWIND_TYPES = ['rewound'] as const

export function toRewind({ sequence, content, parts }: SessionEvent): Rewind {
  const { to = sequence, restored } = (isObject(parts) ? parts : {}) as Partial<RewoundParts>
  return { sequence, to, reason: content, hidden: hiddenAfter(restored?.hidden, to, sequence) }
}

/** Events that a rewind took off the current line. */
export interface HiddenPart {
  readonly from: number
  readonly to: number
  /** Sequence of the rewind. */
  readonly by: number
  readonly reason: string
}

/** Every hidden part of a log, in order. `rewinds` are the last ones, oldest first. */
export function hiddenParts(rewinds: readonly Rewind[]): HiddenPart[] {
  const reasons = new Map(rewinds.map(({ sequence, reason }) => [sequence, reason]))
  const ranges = rewinds.at(-1)?.hidden ?? []
  // a rewind hides everything up to itself
  return ranges.map(([from, to]) => ({ from, to, by: to + 1, reason: reasons.get(to + 1) ?? '' }))
}

/** The part that hides an event, if one does. */
export function hiddenAt(parts: readonly HiddenPart[], sequence: number): HiddenPart | undefined {
  let [low, high] = [0, parts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((parts[middle]?.to ?? 0) < sequence) low = middle + 1
    else high = middle
  }
  const part = parts[low]
  return part !== undefined && part.from <= sequence ? part : undefined
}
