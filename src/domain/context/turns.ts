import type { SessionEvent } from '../event.ts'
import { steadiest } from './cuts.ts'
import type { Forms } from './forms.ts'
import type { Chosen } from './render.ts'
import type { Unit } from './units.ts'

/** An older turn: a context shows only its request and its last answer. */
export interface Turn {
  readonly request: SessionEvent
  /** The last message of the assistant in the turn. */
  readonly answer?: SessionEvent
}

/** Positions in the log, both included. */
export interface Positions {
  from: number
  to: number
}

/** Older turns that are shown in part. */
export interface ChosenTurns {
  readonly chosen: Chosen[]
  readonly tokens: number
  /** What is left out inside these turns. */
  readonly middles: Positions[]
}

/** A turn with its units and their tokens. */
interface MeasuredTurn {
  readonly turn: Turn
  readonly chosen: Chosen[]
  readonly tokens: number
}

/** The turns before the units that are shown whole. */
export class OlderTurns {
  /** The turn in which the shown units begin. */
  readonly #own: MeasuredTurn | undefined
  /** Turns before it that fit, newest first. */
  readonly #older: readonly MeasuredTurn[]
  readonly #sequences: readonly number[]
  readonly #room: number
  readonly #next: number
  /** Tokens that all of them take; infinite if they exceed their room. */
  readonly available: number

  private constructor(
    fitted: { own: MeasuredTurn | undefined; older: MeasuredTurn[]; available: number },
    { list, next, room }: { list: readonly Turn[]; next: number; room: number },
  ) {
    this.#own = fitted.own
    this.#older = fitted.older
    this.available = fitted.available
    this.#sequences = list.map(({ request }) => request.sequence)
    this.#next = next
    this.#room = room
  }

  /**
   * `list`: turns that begin before `next`, newest first. `isTurnStart`: a turn begins there, so that all of them are
   * older ones. `room`: tokens that they may take.
   */
  static async measure(
    list: readonly Turn[],
    { next, isTurnStart }: { next: number; isTurnStart: boolean },
    room: number,
    forms: Forms,
  ): Promise<OlderTurns> {
    const [first, ...rest] = list
    const own = isTurnStart || first === undefined ? undefined : await measureOwn(first, room, forms)
    const turns = isTurnStart ? list : rest
    const older: MeasuredTurn[] = []
    let tokens = own?.tokens ?? 0
    for (const turn of turns) {
      const measured = await measureTurn(turn, forms)
      tokens += measured.tokens
      if (tokens > room) break
      older.push(measured)
    }
    const available = tokens > room ? Number.POSITIVE_INFINITY : tokens
    return new OlderTurns({ own, older, available }, { list: turns, next, room })
  }

  /** Chooses as many as their room and the missing tokens ask for. */
  choose(missing: number): ChosenTurns {
    const least = Math.max(missing, this.#room / 2) - (this.#own?.tokens ?? 0)
    let lowest = 0
    for (let tokens = 0; lowest < this.#older.length && tokens < least; lowest++) {
      tokens += this.#older[lowest]?.tokens ?? 0
    }
    const count = steadiest(lowest, this.#older.length, this.#sequences)
    const chosen = [...(this.#own ? [this.#own] : []), ...this.#older.slice(0, count)]
    return {
      chosen: chosen.toReversed().flatMap((turn) => turn.chosen),
      tokens: chosen.reduce((sum, turn) => sum + turn.tokens, 0),
      middles: this.#middles(chosen.map(({ turn }) => turn)),
    }
  }

  /** The gaps around the shown parts of these turns, oldest first. */
  #middles(turns: readonly Turn[]): Positions[] {
    const gaps: Positions[] = []
    let next = this.#next
    for (const { request, answer } of turns) {
      for (const { sequence } of answer === undefined ? [request] : [answer, request]) {
        if (sequence + 1 < next) gaps.unshift({ from: sequence + 1, to: next - 1 })
        next = sequence
      }
    }
    return gaps
  }
}

/** The request of the turn in which the shown units begin: in its recent form, if there is room. */
async function measureOwn({ request }: Turn, room: number, forms: Forms): Promise<MeasuredTurn | undefined> {
  const unit = textUnit(request)
  for (const form of ['recent', 'old'] as const) {
    const tokens = await forms.cost(unit, form)
    if (tokens <= room) return { turn: { request }, chosen: [{ unit, form }], tokens }
  }
  return undefined
}

async function measureTurn(turn: Turn, forms: Forms): Promise<MeasuredTurn> {
  const units = [turn.request, ...(turn.answer ? [turn.answer] : [])].map(textUnit)
  let tokens = 0
  for (const unit of units) tokens += await forms.cost(unit, 'old')
  return { turn, chosen: units.map((unit) => ({ unit, form: 'old' })), tokens }
}

function textUnit(event: SessionEvent): Unit {
  return { event, results: [] }
}
