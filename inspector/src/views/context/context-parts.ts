import type { ContextResult, Message } from '../../api/types.ts'

/** A part of a context, as the server names it. */
export type Part = ContextResult<unknown>['sections'][number]['section']

/** Tokens and pieces of a part. */
export type PartUsage = ContextResult<unknown>['sections'][number]

/** Display names of the parts, in order. */
export const PART_NAMES = {
  task: 'Task',
  scratchpad: 'Scratchpad',
  earlier: 'Earlier sessions',
  memories: 'Recalled',
  reduced: 'Summary of this session',
  window: 'Messages',
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

/** The part of each message: task and scratchpad share the first, other parts have one each, then come the messages. */
export function messageParts(length: number, sections: readonly PartUsage[]): string[] {
  const has = (part: Part) => sections.some(({ section }) => section === part)
  const head = (['task', 'scratchpad'] as const).filter(has).map((part) => PART_NAMES[part])
  const fronts = [
    ...(head.length > 0 ? [head.join(' and ')] : []),
    ...(['earlier', 'memories', 'reduced'] as const).filter(has).map((part) => PART_NAMES[part]),
  ]
  return Array.from({ length }, (_, place) => fronts[place] ?? PART_NAMES.window)
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
