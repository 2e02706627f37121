import type { Places } from './places.ts'
import type { Peers, Store } from './seats.ts'
import type { Table } from './table.ts'

/** How a part is to run. */
export interface Setting {
  store: Store
  rounds: number
  /** Longest time of a round in milliseconds. */
  ms: number
  /** Small sizes, to see that it runs. */
  quick: boolean
  /** It runs among all the others, so that what takes long takes its smaller size. */
  whole: boolean
  peers: Peers
  places: Places
}

export type Measured = Omit<Table, 'part' | 'store'>

/** Some lines of the benchmark under one name. It gives its tables one by one, as they are done. */
export interface Part {
  name: string
  stores: readonly Store[]
  /** Its lines have one caller, who takes turns with a server. */
  oneCaller?: true
  run(setting: Setting): AsyncGenerator<Measured>
}
