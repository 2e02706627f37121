import type { SessionEvent } from '../event.ts'
import { type Message, toMessages, withoutUsage } from '../message.ts'
import type { CountTokens } from '../window.ts'
import { type Block, Blocks, type ContextSections, type Section } from './blocks.ts'
import { type CutCache, Forms } from './forms.ts'
import { type FittedHistory, fitHistory, type HistorySource } from './history.ts'
import type { Positions } from './turns.ts'

export type { ContextItem, ContextSections } from './blocks.ts'
export type { CutCache } from './forms.ts'
export type { HistorySource } from './history.ts'
export type { Positions, Turn } from './turns.ts'

/** Tokens of one section of a context. */
export interface ContextShare {
  section: Section | 'window'
  /** Number of messages, summaries or memories. */
  count: number
  tokens: number
}

/** Why something is not there, or not as a whole: see the table in docs/work.md. */
export const OMISSION_REASONS = [
  'budget',
  'shortened',
  'result_replaced',
  'middle_dropped',
  'turns_dropped',
  'no_call',
  'no_result',
] as const

/** What a context leaves out or shortens. */
export interface Omission {
  section: Section | 'window'
  /** Pieces, or positions of the log. */
  count: number
  reason: (typeof OMISSION_REASONS)[number]
  /** Positions in the log, where they are known. */
  sequences?: Positions[]
}

/** Messages for the model, and what was left out. */
export interface Context {
  messages: Message[]
  /** Counted piece by piece; never above the budget. */
  tokens: number
  /** Tokens by section, in message order; empty sections are absent. */
  sections: ContextShare[]
  omitted: Omission[]
  /** Ids of final tool calls that still wait for a result. */
  dangling: string[]
  /** Ids of the memories that are in it. */
  memories: ReadonlySet<string>
  /** Sequences of the events that are in it, whole or in part. */
  events: ReadonlySet<number>
}

/** Sections before the history: they change rarely, so a provider can keep what it computed for them. */
const BEFORE: readonly Section[] = ['task', 'earlier', 'reduced']
/** Sections that can change with every call, as late as providers allow. */
const AFTER: readonly Section[] = ['children', 'scratchpad', 'memories']

/** What a context is made of. */
export interface ContextInput {
  readonly sections: ContextSections
  readonly history: HistorySource
  readonly maxTokens: number
  /** The history begins after this event. @default 0 */
  readonly floor?: number
}

/**
 * Fits task, summaries, history, scratchpad and memories into a budget. Everything but the history shares half of the
 * budget; what one side does not need, the other side gets.
 */
export async function fitContext(
  { sections, history, maxTokens, floor = 0 }: ContextInput,
  count: CountTokens,
  cuts: CutCache,
): Promise<Context> {
  const builder = new Blocks(sections, count, cuts)
  const reserved = await builder.reserved(maxTokens)
  const fitted = await fitHistory(history, maxTokens - reserved, new Forms(maxTokens, count, cuts))
  const isWhole = !fitted.isCut && fitted.replaced.length === 0
  const blocks = isWhole ? await builder.build(maxTokens - fitted.tokens) : await builder.build(reserved, maxTokens)
  const past = toMessages(fitted.events).map(withoutUsage)
  const inOrder = (order: readonly Section[]) =>
    order.flatMap((section) => blocks.filter((block) => block.section === section && block.message !== undefined))
  const before = inOrder(BEFORE)
  const after = inOrder(AFTER)
  const shares = (list: readonly Block[]): ContextShare[] =>
    list.map(({ section, items, tokens }) => ({ section, count: items.length, tokens }))
  return {
    messages: [...messagesOf(before), ...insertLate(past, messagesOf(after), fitted.dangling)],
    tokens: fitted.tokens + blocks.reduce((sum, block) => sum + block.tokens, 0),
    sections: [
      ...shares(before),
      ...(past.length > 0 ? [{ section: 'window' as const, count: past.length, tokens: fitted.tokens }] : []),
      ...shares(after),
    ],
    omitted: [...blocks.flatMap(omittedPieces), ...omittedHistory(fitted, floor)],
    dangling: [...fitted.dangling],
    memories: new Set(blocks.find(({ section }) => section === 'memories')?.items.map(({ id }) => id)),
    events: new Set(fitted.events.map(({ sequence }) => sequence)),
  }
}

function messagesOf(blocks: readonly Block[]): Message[] {
  return blocks.flatMap(({ message }) => message ?? [])
}

/**
 * Inserts messages as late as providers allow: before the user's last message, before calls that wait for their
 * results, else at the end.
 */
function insertLate(past: readonly Message[], late: readonly Message[], dangling: readonly string[]): Message[] {
  let place = past.length
  while (past[place - 1]?.role === 'user') place--
  const isWaiting = ({ toolCalls = [] }: Message) => toolCalls.some(({ id }) => dangling.includes(id))
  const waiting = dangling.length === 0 ? -1 : past.findLastIndex(isWaiting)
  if (waiting >= 0) place = Math.min(place, waiting)
  return [...past.slice(0, place), ...late, ...past.slice(place)]
}

function omittedPieces({ section, missing, shortened }: Block): Omission[] {
  return [
    ...(missing > 0 ? [{ section, count: missing, reason: 'budget' as const }] : []),
    ...(shortened > 0 ? [{ section, count: shortened, reason: 'shortened' as const }] : []),
  ]
}

/** The steps that were taken, in the order in which they are taken. */
function omittedHistory(fitted: FittedHistory, floor: number): Omission[] {
  const { replaced, shortened, middles, noCall, noResult, first, isCut } = fitted
  // the first event of a log is never a message
  const from = Math.max(floor, 1) + 1
  const to = (first ?? fitted.next) - 1
  return [
    ...omission('result_replaced', rangesOf(replaced)),
    ...omission('shortened', rangesOf(shortened)),
    ...omission('middle_dropped', [...middles]),
    ...omission('turns_dropped', isCut && from <= to ? [{ from, to }] : []),
    ...omission('no_call', rangesOf(noCall)),
    ...omission('no_result', rangesOf(noResult)),
  ]
}

function omission(reason: Omission['reason'], sequences: Positions[]): Omission[] {
  const count = sequences.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  return count === 0 ? [] : [{ section: 'window', count, reason, sequences }]
}

/** Joins neighbours. */
function rangesOf(events: readonly SessionEvent[]): Positions[] {
  const ranges: Positions[] = []
  for (const { sequence } of events) {
    const last = ranges.at(-1)
    if (last?.to === sequence) continue
    if (last?.to === sequence - 1) last.to = sequence
    else ranges.push({ from: sequence, to: sequence })
  }
  return ranges
}
