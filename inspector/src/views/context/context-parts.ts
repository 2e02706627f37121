import type { ContextResult, Message } from '../../api/types.ts'

/** A part of a context, as the server names it. */
export type Part = ContextResult<unknown>['sections'][number]['section']

/** Tokens and pieces of a part. */
export type PartUsage = ContextResult<unknown>['sections'][number]

/** Display names of the parts, in order. */
export const PART_NAMES = {
  task: 'Task',
  earlier: 'Earlier sessions',
  reduced: 'Summary of this session',
  window: 'Messages',
  children: 'Sub-agents',
  scratchpad: 'Scratchpad',
  memories: 'Recalled',
} as const satisfies Record<Part, string>

export const PARTS = Object.keys(PART_NAMES) as Part[]

/** A segment of a bar, in shares of the whole. */
export interface Segment {
  readonly part: Part | 'unused'
  readonly count: number
  readonly tokens: number
  readonly start: number
  readonly size: number
}

/** The segments of a bar of `total` tokens: each part, then the unused rest. */
export function toSegments(sections: readonly PartUsage[], total: number): Segment[] {
  const used = sections.reduce((sum, { tokens }) => sum + tokens, 0)
  const whole = Math.max(total, used)
  if (whole === 0) return []
  let before = 0
  const segments = sections.map(({ section: part, count, tokens }): Segment => {
    const start = before / whole
    before += tokens
    return { part, count, tokens, start, size: tokens / whole }
  })
  if (whole === used) return segments
  return [...segments, { part: 'unused', count: 0, tokens: whole - used, start: used / whole, size: 1 - used / whole }]
}

/** Formats a share. Only exact values show `0` and `100`; values near them get a decimal. */
export function formatPercent(size: number): string {
  if (size > 0 && size < 0.001) return '< 0.1%'
  if (size > 0.999 && size < 1) return '> 99.9%'
  const isNearAnEnd = size < 0.1 || (size > 0.9 && size < 1)
  return `${(size * 100).toFixed(isNearAnEnd ? 1 : 0)}%`
}

const BEFORE: readonly Part[] = ['task', 'earlier', 'reduced']
const AFTER: readonly Part[] = ['children', 'scratchpad', 'memories']

/**
 * The part of each message. The parts before the conversation have one message each, and so have those that come late:
 * they are the last system messages.
 */
export function messageParts(messages: readonly Pick<Message, 'role'>[], sections: readonly PartUsage[]): string[] {
  const named = (parts: readonly Part[]) => parts.filter((part) => sections.some(({ section }) => section === part))
  const parts = messages.map((_, place): Part => named(BEFORE)[place] ?? 'window')
  let place = messages.length
  for (const part of named(AFTER).toReversed()) {
    place = messages.findLastIndex(({ role }, at) => role === 'system' && at < place)
    if (place >= 0) parts[place] = part
  }
  return parts.map((part) => PART_NAMES[part])
}

/** Keys that stay the same when earlier messages are added, so expanded messages stay expanded. */
export function messageKeys(messages: readonly Message[]): string[] {
  const seen = new Map<string, number>()
  return messages.map(({ role, content, toolCallId, timestamp, toolCalls }) => {
    const name = [role, toolCallId, timestamp, toolCalls?.[0]?.id, content.length, content.slice(0, 60)].join(' ')
    const times = seen.get(name) ?? 0
    seen.set(name, times + 1)
    return `${times} ${name}`
  })
}
