import type { ContextResult } from '../../api/types.ts'
import { PARTS, type Part, type PartUsage } from './context-parts.ts'

/** The context under one budget. */
export interface BudgetResult {
  readonly budget: number
  readonly tokens: number
  readonly sections: readonly PartUsage[]
  /** Pieces and events that did not fit, or not as a whole. */
  readonly over: number
}

/** Summarizes a context under a budget. */
export function toBudgetResult(budget: number, { tokens, sections, omitted }: ContextResult<unknown>): BudgetResult {
  // what no provider accepts is left out under any budget
  const fitting = omitted.filter(({ reason }) => reason !== 'no_call' && reason !== 'no_result')
  const over = fitting.reduce((sum, { count }) => sum + count, 0)
  return { budget, tokens, sections, over }
}

/** The parts that occur in any result, in display order. */
export function usedParts(all: readonly BudgetResult[]): Part[] {
  return PARTS.filter((part) => all.some(({ sections }) => sections.some(({ section }) => section === part)))
}

/** Tokens of a part; 0 if absent. */
export function partTokens({ sections }: BudgetResult, part: Part): number {
  return sections.find(({ section }) => section === part)?.tokens ?? 0
}

/** A segment of a column, from the bottom up. */
export interface Layer {
  readonly part: Part
  readonly from: number
  readonly to: number
}

/** Stacks the parts of one budget. */
export function stackParts({ sections }: BudgetResult): Layer[] {
  let from = 0
  return sections.map(({ section: part, tokens }) => {
    const layer = { part, from, to: from + tokens }
    from += tokens
    return layer
  })
}

/** Says from which budget on more does not help. */
export function describeBenefit(all: readonly BudgetResult[]): string {
  const last = all.at(-1)
  if (last === undefined) return ''
  const enough = all.find(({ over }) => over === 0)
  if (enough === undefined) {
    return `${last.budget.toLocaleString('en')} tokens are not enough: ${last.over.toLocaleString('en')} events and pieces do not fit whole. Try a larger budget.`
  }
  return `Everything fits from ${enough.budget.toLocaleString('en')} tokens (${enough.tokens.toLocaleString('en')} used). A larger budget changes nothing.`
}
