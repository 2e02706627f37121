import type { ContextResult } from '../../api/types.ts'
import { PART_NAMES } from './context-parts.ts'

type Omitted = ContextResult<unknown>['omitted'][number]

/** A row of the table of omitted pieces. */
export interface OmittedRow {
  readonly name: string
  readonly count: string
  readonly reason: string
  /** The first positions in the log. */
  readonly events: string
  /** Explains the reason to first-time readers. */
  readonly explanation: string
}

const NAMES: Readonly<Record<string, string>> = PART_NAMES

const REASONS: Readonly<Record<Omitted['reason'], string>> = {
  budget: 'over budget',
  shortened: 'shortened',
  result_replaced: 'old results replaced by a line',
  middle_dropped: 'middle of a turn left out',
  turns_dropped: 'old turns left out',
  no_call: 'no call for the result',
  no_result: 'the call has no result',
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  'task shortened': 'It gets a quarter of the budget, plus what the messages leave.',
  'scratchpad shortened': 'It gets a fifth of the budget, plus what the messages leave.',
  'earlier budget': 'They get a quarter of the budget, newest first, plus what the messages leave.',
  'memories budget': 'Recalled items get 15% of the budget, plus what the messages leave.',
  'reduced shortened': 'It gets a quarter of the budget, plus what the messages leave.',
  'window shortened': 'Long texts, arguments and results keep their beginning and end.',
  'window result_replaced': 'The line names the tool, the size and the event. The whole result stays in the log.',
  'window middle_dropped': 'The request and the last answer of the turn are sent.',
  'window no_call': 'Providers reject a result without its call, so it is never sent.',
  'window no_result': 'Providers reject a call without a result, so it is never sent.',
}

const TINY_BUDGET = 'The budget is too small for it.'
/** Positions to name. */
const MAX_RANGES = 8

/** Describes what was omitted or shortened. Sections and reasons of a newer server are shown as they are. */
export function describeOmitted({ section, count, reason, sequences = [] }: Omitted, budget: number): OmittedRow {
  const ranges = sequences.slice(0, MAX_RANGES).map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`))
  return {
    name: NAMES[section] ?? section,
    count: count.toLocaleString('en'),
    reason: REASONS[reason] ?? reason,
    events: `${ranges.join(', ')}${sequences.length > MAX_RANGES ? ' …' : ''}`,
    explanation: reason === 'budget' && budget < 2 ? TINY_BUDGET : (EXPLANATIONS[`${section} ${reason}`] ?? ''),
  }
}
