import type { ContextResult } from '../../api/types.ts'
import { PART_NAMES } from './context-parts.ts'

type Omitted = ContextResult<unknown>['omitted'][number]

/** The server counts at most this many messages before the window. */
const MAX_COUNTED = 500

/** A row of the table of omitted pieces. */
export interface OmittedRow {
  readonly name: string
  readonly count: string
  readonly reason: string
  /** Explains the reason to first-time readers. */
  readonly explanation: string
}

const NAMES: Readonly<Record<string, string>> = { ...PART_NAMES, history: 'Older messages', calls: 'Tool calls' }

const REASONS: Readonly<Record<Omitted['reason'], string>> = {
  budget: 'over budget',
  no_call: 'its call is not in the window',
  no_result: 'the call has no result',
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  'task budget': 'It takes more than half of the budget, and the messages leave no room for it.',
  'scratchpad budget': 'With the task it takes more than a fifth of the budget, and the messages leave no room for it.',
  'earlier budget': 'They share half of the budget with the task, newest first, plus what the messages leave.',
  'memories budget': 'Recalled items get 15% of the budget, plus what the messages leave.',
  'reduced budget': 'With the task it takes more than half of the budget, and the messages leave no room for it.',
  'window budget': 'Only whole turns are sent, newest first. These did not fit.',
  'history budget': 'They are older than the window.',
  'window no_call': 'Providers reject a result without its call, so it is never sent.',
  'window no_result': 'Providers reject a message with only such calls, so it is never sent.',
  'calls no_result': 'Removed from its message: providers reject a call without a result.',
}

const TINY_BUDGET = 'The budget is too small for it.'

/** Describes an omitted section. Sections and reasons of a newer server are shown as they are. */
export function describeOmitted({ section, count, reason }: Omitted, budget: number): OmittedRow {
  const isAtLeast = section === 'history' && count >= MAX_COUNTED
  return {
    name: NAMES[section] ?? section,
    count: count.toLocaleString('en') + (isAtLeast ? ' or more' : ''),
    reason: REASONS[reason] ?? reason,
    explanation: reason === 'budget' && budget < 2 ? TINY_BUDGET : (EXPLANATIONS[`${section} ${reason}`] ?? ''),
  }
}
