import type { ContextResult } from '../../api/types.ts'
import { PARTS, type Part, type PartUsage } from './context-parts.ts'

/** What one budget came to. */
export interface BudgetResult {
  readonly budget: number
  readonly tokens: number
  readonly sections: readonly PartUsage[]
  /** Pieces that did not fit. */
  readonly over: number
}

/** What an answer says of its budget. */
export function toBudgetResult(budget: number, { tokens, sections, omitted }: ContextResult<unknown>): BudgetResult {
  const over = omitted.filter(({ reason }) => reason === 'budget').reduce((sum, { count }) => sum + count, 0)
  return { budget, tokens, sections, over }
}

/** The parts that any of them has, in the order they are told. */
export function usedParts(all: readonly BudgetResult[]): Part[] {
  return PARTS.filter((part) => all.some(({ sections }) => sections.some(({ section }) => section === part)))
}

/** Tokens of a part; 0 where it is not there. */
export function partTokens({ sections }: BudgetResult, part: Part): number {
  return sections.find(({ section }) => section === part)?.tokens ?? 0
}

/** A stretch of a column, from the bottom up. */
export interface Layer {
  readonly part: Part
  readonly from: number
  readonly to: number
}

/** The parts of one budget, one above the other. */
export function stackParts({ sections }: BudgetResult): Layer[] {
  let from = 0
  return sections.map(({ section: part, tokens }) => {
    const layer = { part, from, to: from + tokens }
    from += tokens
    return layer
  })
}

/** Where more budget stops helping, as a sentence. */
export function describeBenefit(all: readonly BudgetResult[]): string {
  const last = all.at(-1)
  if (last === undefined) return ''
  const enough = all.find(({ over }) => over === 0)
  if (enough === undefined) {
    return `Even ${last.budget.toLocaleString('en')} tokens leave out ${last.over.toLocaleString('en')}: more budget would help.`
  }
  return `From ${enough.budget.toLocaleString('en')} tokens on everything fits, in ${enough.tokens.toLocaleString('en')}: more budget changes nothing.`
}
