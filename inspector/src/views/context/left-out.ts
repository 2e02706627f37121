import type { ContextResult } from '../../api/types.ts'
import { PART_NAMES } from './shares.ts'

type Omitted = ContextResult<unknown>['omitted'][number]

/** Messages before the window that the server counts at most. */
const COUNTED = 500

/** Something that was left out, in words. */
export interface LeftOut {
  readonly what: string
  readonly howMany: string
  readonly why: string
  /** What that means, for who meets it the first time. */
  readonly means: string
}

const NAMES: Readonly<Record<string, string>> = { ...PART_NAMES, history: 'Older messages', calls: 'Tool calls' }

const WHY: Readonly<Record<Omitted['reason'], string>> = {
  budget: 'over the budget',
  no_call: 'its call is not in the window',
  no_result: 'its call never got a result',
}

const MEANS: Readonly<Record<string, string>> = {
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
const NO_ROOM = 'So small a budget has no room for it.'

/** What was left out, in words. A section or a reason that a newer server names is told as it is. */
export function leftOutOf({ section, count, reason }: Omitted, budget: number): LeftOut {
  const isAtLeast = section === 'history' && count >= COUNTED
  return {
    what: NAMES[section] ?? section,
    howMany: count.toLocaleString('en') + (isAtLeast ? ' or more' : ''),
    why: WHY[reason] ?? reason,
    means: reason === 'budget' && budget < 2 ? NO_ROOM : (MEANS[`${section} ${reason}`] ?? ''),
  }
}
