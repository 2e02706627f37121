import type { SessionEvent } from '../event.ts'
import type { CountTokens } from '../window.ts'
import { applyArgumentsCut, applyCut, type Cut, cutArguments, cutText } from './shorten.ts'
import type { Unit } from './units.ts'

/** How much of a unit is shown: the newest one, recent ones, and old ones, whose results become one line. */
export type Form = 'newest' | 'recent' | 'old'

/** Largest share of the budget for one text, for the arguments of a call, and for one result. */
const SHARE: Record<Form, { text: number; arguments: number; result: number }> = {
  newest: { text: 1 / 3, arguments: 1 / 16, result: 1 / 9 },
  recent: { text: 1 / 8, arguments: 1 / 16, result: 1 / 9 },
  old: { text: 1 / 32, arguments: 1 / 32, result: 1 / 9 },
}

/** No text is shortened below so many tokens: its mark alone takes ten. */
const SHORTEST = 48
/** Old results up to so many characters stay: the line in their place would be as long. */
const SHORT_RESULT = 160

/** Remembers how texts of events are cut, since counting takes most of the time; `null`: not at all. */
export interface CutCache {
  get(key: string): Cut | null | undefined
  set(key: string, cut: Cut | null): void
}

/** A text as it is shown. */
interface Shown {
  readonly text: string
  readonly isShortened: boolean
}

/**
 * Where a session fits as a whole once its long texts are shortened, they keep as much as fits: this factor times
 * their share, to the power of the step. The steps are coarse, so that a growing session changes its long texts rarely.
 */
const FACTOR = 1.1
/** From this step on every text may take the whole budget. */
export const WHOLE = Math.ceil(Math.log(16) / Math.log(FACTOR))

/** Costs and renders the texts of units for one budget. */
export class Forms {
  readonly #budget: number
  readonly #count: CountTokens
  readonly #cuts: CutCache
  readonly #factor: number
  readonly #names: Map<string, number>

  /** `step`: how much longer than usual a text may be, from 0 to {@link WHOLE}. */
  constructor(budget: number, count: CountTokens, cuts: CutCache, step = 0, names = new Map<string, number>()) {
    this.#budget = budget
    this.#count = count
    this.#cuts = cuts
    this.#factor = FACTOR ** step
    this.#names = names
  }

  /** The same with longer texts. */
  withStep(step: number): Forms {
    return new Forms(this.#budget, this.#count, this.#cuts, step, this.#names)
  }

  /** Tokens of a unit in every form. */
  async costs(unit: Unit): Promise<Record<Form, number>> {
    const [newest, recent, old] = [
      await this.cost(unit, 'newest'),
      await this.cost(unit, 'recent'),
      await this.cost(unit, 'old'),
    ]
    return { newest, recent, old }
  }

  /** Tokens of a unit in this form; infinite if it does not fit into the budget at all. */
  async cost(unit: Unit, form: Form): Promise<number> {
    if (unit.call === undefined) {
      // toMessages() joins the text of a `tool_call` to its message by a line break
      const joint = unit.event.type === 'tool_call' ? 1 : 0
      return joint + costOf(await this.#textCut(unit.event, SHARE[form].text))
    }
    let tokens = (await this.#nameTokens(nameOf(unit))) + costOf(await this.#argumentsCut(unit, form))
    for (const result of unit.results) {
      tokens += isReplaced(result, form)
        ? await this.#lineTokens(unit, result)
        : costOf(await this.#textCut(result, SHARE[form].result))
    }
    return tokens
  }

  /** The text of a unit without a call. */
  async text({ event }: Unit, form: Form): Promise<Shown> {
    return shown(event.content, await this.#textCut(event, SHARE[form].text), applyCut)
  }

  /** The arguments of the unit's call. */
  async arguments(unit: Unit, form: Form): Promise<Shown> {
    return shown(argumentsOf(unit), await this.#argumentsCut(unit, form), applyArgumentsCut)
  }

  /** A result of the unit; `isReplaced` if a line stands in its place. */
  async result(unit: Unit, result: SessionEvent, form: Form): Promise<Shown & { isReplaced: boolean }> {
    if (isReplaced(result, form)) return { text: lineFor(unit, result), isShortened: false, isReplaced: true }
    const cut = await this.#textCut(result, SHARE[form].result)
    return { ...shown(result.content, cut, applyCut), isReplaced: false }
  }

  async #textCut({ id, content }: SessionEvent, share: number): Promise<Cut | null> {
    return await this.#cut(id, share, (limit) => cutText(content, limit, this.#count))
  }

  async #argumentsCut(unit: Unit, form: Form): Promise<Cut | null> {
    const key = `${unit.event.id} ${unit.place}`
    return await this.#cut(key, SHARE[form].arguments, (limit) => cutArguments(argumentsOf(unit), limit, this.#count))
  }

  /** A text that has no form of this length, such as a long list of numbers, gets twice as much, and so on. */
  async #cut(key: string, share: number, decide: (limit: number) => Promise<Cut | undefined>): Promise<Cut | null> {
    const most = Math.max(this.#budget * share * this.#factor, SHORTEST)
    const whole = this.#cuts.get(key)
    for (let limit = Math.min(Math.floor(most), this.#budget); ; limit = Math.min(limit * 2, this.#budget)) {
      if (whole && whole.tokens <= limit) return whole
      const full = `${key} ${limit}`
      let cut = this.#cuts.get(full)
      if (cut === undefined) {
        cut = (await decide(limit)) ?? null
        // a text that is shown whole here is shown whole within every greater limit
        this.#cuts.set(cut !== null && cut.characters === undefined ? key : full, cut)
      }
      if (cut !== null || limit >= this.#budget) return cut
    }
  }

  async #lineTokens(unit: Unit, result: SessionEvent): Promise<number> {
    const key = `${result.id} line`
    const known = this.#cuts.get(key)
    if (known) return known.tokens
    const tokens = await this.#count(lineFor(unit, result), Number.POSITIVE_INFINITY)
    this.#cuts.set(key, { tokens })
    return tokens
  }

  async #nameTokens(name: string): Promise<number> {
    const known = this.#names.get(name) ?? (await this.#count(name, this.#budget))
    this.#names.set(name, known)
    return known
  }
}

/** The arguments of the call as text. */
function argumentsOf({ call }: Unit): string {
  const given = call?.arguments
  return typeof given === 'string' ? given : JSON.stringify(given ?? {})
}

/** The name of the called tool; stored calls may have none. */
export function nameOf({ call }: Unit): string {
  return typeof call?.name === 'string' ? call.name : ''
}

function isReplaced({ content }: SessionEvent, form: Form): boolean {
  return form === 'old' && content.length > SHORT_RESULT
}

/** The line in the place of a result. Its tokens are estimated: counting long results would take seconds. */
function lineFor(unit: Unit, { content, sequence }: SessionEvent): string {
  const tokens = Math.ceil(content.length / 4).toLocaleString('en')
  const of = nameOf(unit) === '' ? 'result' : `result of ${nameOf(unit)}`
  return `[${of} omitted: ${tokens} tokens, event ${sequence}]`
}

function costOf(cut: Cut | null): number {
  return cut?.tokens ?? Number.POSITIVE_INFINITY
}

function shown(text: string, cut: Cut | null, apply: (text: string, cut: Cut) => string): Shown {
  return cut?.characters === undefined ? { text, isShortened: false } : { text: apply(text, cut), isShortened: true }
}
