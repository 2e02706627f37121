import type { ContextResult } from '../../api/types.ts'
import { PART_NAMES } from './context-parts.ts'

type Omitted = ContextResult<unknown>['omitted'][number]

/** Messages before the window that the server counts at most. */
const MAX_COUNTED = 500

/** Something that was left out, in words. */
export interface OmittedRow {
  readonly name: string
  readonly count: string
  readonly reason: string
  /** What that means, for who meets it the first time. */
  readonly explanation: string
}

const NAMES: Readonly<Record<string, string>> = { ...PART_NAMES, history: 'Older messages', calls: 'Tool calls' }

const REASONS: Readonly<Record<Omitted['reason'], string>> = {
  budget: 'over the budget',
  no_call: 'its call is not in the window',
  no_result: 'its call never got a result',
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  'task budget': 'It takes more than half of the budget, and the messages left no room for it.',
  'scratchpad budget': 'With the task it takes more than a fifth of the budget, and the messages left no room for it.',
  'earlier budget': 'They get what is left of half of the budget, the newest first, and what the messages leave.',
  'memories budget': 'What is recalled may take 15 % at first, and what the messages leave.',
  'reduced budget': 'With the task it takes more than half of the budget, and the messages left no room for it.',
  'window budget': 'Turns are taken whole, the newest first; these did not fit.',
  'history budget': 'They stand before the window and were not even looked at.',
  'window no_call': 'A result without its call is refused by providers, so it is never sent.',
  'window no_result': 'A message of nothing but such calls is refused by providers, so it is never sent.',
  'calls no_result': 'Taken out of a message that is sent: providers refuse a call without a result.',
}

/** Shares of such a budget are nothing. */
const TINY_BUDGET = 'So small a budget has no room for it.'

/** What was left out, in words. A section or a reason that a newer server names is told as it is. */
export function describeOmitted({ section, count, reason }: Omitted, budget: number): OmittedRow {
  const isAtLeast = section === 'history' && count >= MAX_COUNTED
  return {
    name: NAMES[section] ?? section,
    count: count.toLocaleString('en') + (isAtLeast ? ' or more' : ''),
    reason: REASONS[reason] ?? reason,
    explanation: reason === 'budget' && budget < 2 ? TINY_BUDGET : (EXPLANATIONS[`${section} ${reason}`] ?? ''),
  }
}
