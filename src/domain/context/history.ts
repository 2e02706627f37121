import { type SessionEvent, startsTurn } from '../event.ts'
import { CostList, chooseRecent, chooseShown, FILLED, steadiestStep, TURNS } from './cuts.ts'
import { type Form, type Forms, WHOLE } from './forms.ts'
import { type Chosen, type Rendered, renderUnits } from './render.ts'
import { OlderTurns, type Positions, type Turn } from './turns.ts'
import { danglingCalls, HistoryPairing, type Unit } from './units.ts'

/** Where the history is read from: newest first, so that reading can stop. */
export interface HistorySource {
  /** Messages, newest first. */
  events(): AsyncIterable<SessionEvent>
  /** Whether `events` ends before the beginning of the history, because it is too long. */
  isCut(): boolean
  /** The turns that begin before an event, newest first; their number is limited. */
  turnsBefore(sequence: number): Promise<readonly Turn[]>
}

/** The part of a history that fits. */
export interface FittedHistory extends Rendered {
  readonly tokens: number
  /** Ids of the last message's calls that still wait for a result. */
  readonly dangling: readonly string[]
  /** Results without a call, and events with calls without a result. */
  readonly noCall: readonly SessionEvent[]
  readonly noResult: readonly SessionEvent[]
  /** What is left out inside the turns that are shown. */
  readonly middles: readonly Positions[]
  /** The first event that is shown; nothing before it is. */
  readonly first?: number
  /** The position after the newest event. */
  readonly next: number
  /** Whether events are left out before the first one, or all of them. */
  readonly isCut: boolean
}

/**
 * Fits the history into the room, in these steps, oldest first: long results become one line, long texts lose their
 * middle, turns lose all but their request and their last answer, turns are left out. Every step is a function of the
 * log, the budget and the room alone; the places where they begin move rarely, see {@link steadiest}.
 */
export async function fitHistory(source: HistorySource, room: number, forms: Forms): Promise<FittedHistory> {
  const pairing = new HistoryPairing()
  const costs = new CostList(room)
  costs.isComplete = await measure(source, pairing, costs, forms)
  if (costs.fits) return await fitWhole(pairing, room, forms)
  const { units } = pairing
  const next = (units[0]?.event.sequence ?? 0) + 1
  const turnsBefore = async (count: number, most: number) => {
    const oldest = units[count - 1]?.event
    const isAll = costs.isComplete && count === units.length
    const list = isAll ? [] : await source.turnsBefore(oldest?.sequence ?? next)
    const isTurnStart = oldest === undefined || startsTurn(oldest)
    return await OlderTurns.measure(list, { next: oldest?.sequence ?? next, isTurnStart }, most, forms)
  }
  let shown = chooseShown(costs, room)
  let turns = await turnsBefore(shown, TURNS * room)
  if (shown < units.length && turns.available < TURNS * room) {
    // room that older turns cannot fill is for this one
    shown = chooseShown(costs, room, turns.available / room)
    turns = await turnsBefore(shown, turns.available)
  }
  const missing = FILLED * room - sum(costs.recent.slice(0, shown))
  const included = turns.choose(missing)
  const recent = chooseRecent(costs, shown, room, included.tokens)
  const formAt = (place: number): Form => (place === 0 ? 'newest' : place < recent ? 'recent' : 'old')
  const chosen = units.slice(0, shown).map((unit, place): Chosen => ({ unit, form: formAt(place) }))
  const rendered = await renderUnits([...included.chosen, ...chosen.reverse()], forms)
  const first = rendered.events[0]?.sequence
  const isAll = costs.isComplete && shown === units.length
  return {
    ...rendered,
    tokens: included.tokens + sum(costs.recent.slice(0, recent)) + sum(costs.old.slice(recent, shown)),
    dangling: danglingCalls(units.slice(0, shown)),
    noCall: isAll ? pairing.orphans() : [],
    noResult: pairing.unanswered.filter(({ sequence }) => sequence > (units[shown - 1]?.event.sequence ?? 0)),
    middles: included.middles,
    ...(first !== undefined && { first }),
    next,
    isCut: !isAll,
  }
}

/** All units, with texts as long as the room allows. */
async function fitWhole(pairing: HistoryPairing, room: number, forms: Forms): Promise<FittedHistory> {
  const { units, unanswered } = pairing
  const costAt = async (step: number) => {
    const longer = forms.withStep(step)
    let tokens = 0
    for (const [place, unit] of units.entries()) tokens += await longer.cost(unit, place === 0 ? 'newest' : 'recent')
    return tokens
  }
  const longest = await lastStep(async (step) => (await costAt(step)) <= room)
  let step = longest
  if (longest < WHOLE) {
    const unfilled = await lastStep(async (shorter) => (await costAt(shorter)) < FILLED * room)
    step = steadiestStep(Math.min(unfilled + 1, longest), longest)
  }
  const chosen = units.map((unit, place): Chosen => ({ unit, form: place === 0 ? 'newest' : 'recent' }))
  const rendered = await renderUnits(chosen.reverse(), forms.withStep(step))
  return {
    ...rendered,
    tokens: await costAt(step),
    dangling: danglingCalls(units),
    noCall: pairing.orphans(),
    noResult: unanswered.toReversed(),
    middles: [],
    next: (units[0]?.event.sequence ?? 0) + 1,
    isCut: false,
  }
}

/** The last step for which something holds that holds for all smaller ones; -1 if it holds for none. */
async function lastStep(holds: (step: number) => Promise<boolean>): Promise<number> {
  if (await holds(WHOLE)) return WHOLE
  let [last, beyond] = [-1, WHOLE]
  while (beyond - last > 1) {
    const middle = Math.floor((last + beyond) / 2)
    if (await holds(middle)) last = middle
    else beyond = middle
  }
  return last
}

/** Reads and measures until older units can change nothing. Returns whether that was all. */
async function measure(
  source: HistorySource,
  pairing: HistoryPairing,
  costs: CostList,
  forms: Forms,
): Promise<boolean> {
  const { units } = pairing
  for await (const event of source.events()) {
    pairing.add(event)
    for (let place = costs.old.length; place < units.length; place++) {
      const unit = units[place] as Unit
      costs.add(unit.event.sequence, await forms.costs(unit))
    }
    if (costs.isEnough) return false
  }
  return !source.isCut()
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
