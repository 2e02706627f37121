import type { ContextResult } from '../../api/types.ts'
import { PARTS, type Part, type Share } from './shares.ts'

/** What one budget came to. */
export interface Compared {
  readonly budget: number
  readonly tokens: number
  readonly sections: readonly Share[]
  /** Pieces that did not fit. */
  readonly over: number
}

/** What an answer says of its budget. */
export function comparedOf(budget: number, { tokens, sections, omitted }: ContextResult<unknown>): Compared {
  const over = omitted.filter(({ reason }) => reason === 'budget').reduce((sum, { count }) => sum + count, 0)
  return { budget, tokens, sections, over }
}

/** The parts that any of them has, in the order they are told. */
export function partsIn(all: readonly Compared[]): Part[] {
  return PARTS.filter((part) => all.some(({ sections }) => sections.some(({ section }) => section === part)))
}

/** Tokens of a part; 0 where it is not there. */
export function tokensOf({ sections }: Compared, part: Part): number {
  return sections.find(({ section }) => section === part)?.tokens ?? 0
}

/** A stretch of a column, from the bottom up. */
export interface Layer {
  readonly part: Part
  readonly from: number
  readonly to: number
}

/** The parts of one budget, one above the other. */
export function layersOf({ sections }: Compared): Layer[] {
  let from = 0
  return sections.map(({ section: part, tokens }) => {
    const layer = { part, from, to: from + tokens }
    from += tokens
    return layer
  })
}

/** Where more budget stops helping, as a sentence. */
export function verdict(all: readonly Compared[]): string {
  const last = all.at(-1)
  if (last === undefined) return ''
  const enough = all.find(({ over }) => over === 0)
  if (enough === undefined) {
    return `Even ${last.budget.toLocaleString('en')} tokens leave out ${last.over.toLocaleString('en')}: more budget would help.`
  }
  return `From ${enough.budget.toLocaleString('en')} tokens on everything fits, in ${enough.tokens.toLocaleString('en')}: more budget changes nothing.`
}
