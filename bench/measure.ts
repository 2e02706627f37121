import type { Timings } from './load.ts'
import { labelOf, median, quantile, type Row } from './table.ts'

/** The timings, or only the rate of a program that measures itself. */
export type Round = Timings | { perSecond: number }

/** A competitor that is already set up; `close` cleans it up. */
export interface Competitor extends Pick<Row, 'name' | 'kind' | 'size' | 'base'> {
  /** A caveat for its figures. */
  caveat?: string
  round(): Promise<Round>
  /** Problems that a figure alone would hide: lost messages, gaps. */
  check?(): Promise<string>
  close(): Promise<void>
}

/** Timeout of a round, a check or a close in milliseconds; a store that hangs fails its line, not the run. */
const PATIENCE = 60_000
/** The timeout of a set-up, which may write a million rows. */
const PATIENCE_TO_ENTER = 300_000
/** Milliseconds after which a competitor gets no more rounds. */
const ENOUGH = 12_000

/** Reasons for an empty cell that are not failures. */
export const NOT_SUPPORTED = 'has none'
export const NOT_REACHED = 'not reached'

/** Why a row has no figures, as text for the table. */
export function describeFailure(reason: string): string {
  return reason === NOT_SUPPORTED || reason === NOT_REACHED ? reason : `fails: ${reason}`
}

/** Sets up a competitor. A failing set-up fails its line, like a later failure. */
export async function setUpCompetitor(
  row: Pick<Competitor, 'name' | 'kind' | 'size' | 'base'>,
  make: () => Promise<Omit<Competitor, 'name' | 'kind'>>,
): Promise<Competitor> {
  try {
    return { ...row, ...(await within(make(), PATIENCE_TO_ENTER)) }
  } catch (error) {
    return { ...row, round: () => Promise.reject(error), close: async () => {} }
  }
}

/** Runs the competitors in turns, so that a noisy moment of the machine affects them all. */
export async function measureInTurns(competitors: readonly Competitor[], rounds: number): Promise<Row[]> {
  const runs = competitors.map((competitor) => new Run(competitor))
  // the first round only warms up
  for (let round = 0; round <= rounds; round++) {
    for (const run of runs) await run.round(round > 0)
  }
  for (const run of runs) await run.check()
  // some share a store, so none is closed before all are checked
  for (const run of runs) await run.close()
  return runs.map((run) => run.row())
}

class Run {
  readonly #competitor: Competitor
  readonly #rates: number[] = []
  #latencies: number[] = []
  #spent = 0
  #fails: string | undefined
  #checked: string | undefined

  constructor(competitor: Competitor) {
    this.#competitor = competitor
  }

  async round(counts: boolean): Promise<void> {
    if (this.#fails !== undefined || (this.#spent > ENOUGH && this.#rates.length > 0)) return
    const begun = performance.now()
    const done = await this.#trying(() => quietly(this.#competitor))
    this.#spent += performance.now() - begun
    if (done === undefined || !counts) return
    this.#rates.push('perSecond' in done ? done.perSecond : done.operations / done.seconds)
    if ('latencies' in done) this.#latencies = this.#latencies.concat(done.latencies)
  }

  async check(): Promise<void> {
    this.#checked = await this.#trying(async () => (await this.#competitor.check?.()) ?? '')
  }

  async close(): Promise<void> {
    // a competitor that cannot be closed keeps its figures
    await within(this.#competitor.close()).catch((error) =>
      console.log(`${labelOf(this.#competitor)} did not close: ${reasonOf(error)}`),
    )
  }

  row(): Row {
    const { name, kind, size, base, caveat } = this.#competitor
    const sorted = this.#latencies.sort((a, b) => a - b)
    const figures = { perSecond: median(this.#rates), p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
    return {
      name,
      kind,
      ...(size !== undefined && { size }),
      ...(base !== undefined && { base }),
      ...(this.#fails === undefined ? known(figures) : { fails: this.#fails }),
      note: [this.#checked, caveat].filter((text) => text !== undefined && text !== '').join('; '),
    }
  }

  async #trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#fails !== undefined) return
    try {
      return await within(work())
    } catch (error) {
      this.#fails = reasonOf(error)
    }
  }
}

/** Silences a peer during a round: some print every error that they also throw. */
async function quietly(competitor: Competitor): Promise<Round> {
  if (competitor.kind !== 'peer') return await competitor.round()
  const { log, warn, error } = console
  Object.assign(console, { log() {}, warn() {}, error() {} })
  try {
    return await competitor.round()
  } finally {
    Object.assign(console, { log, warn, error })
  }
}

type Known<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Removes members without a value, for optional properties. */
export function known<T extends object>(figures: T): Known<T> {
  return Object.fromEntries(Object.entries(figures).filter(([, figure]) => figure !== undefined)) as Known<T>
}

async function within<T>(work: Promise<T>, ms = PATIENCE): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${ms / 1000} s`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The first line of an error message, short enough for a table. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error)
  const [line = ''] = text.split('\n', 1)
  // some messages start with the whole statement
  const end = line.length > 60 ? (line.split(' - ').at(-1) ?? '') : line
  return end.length > 60 ? `${end.slice(0, 59)}…` : end
}
