import type { Peers, Store } from './lineup.ts'
import type { Table } from './table.ts'
import type { Workspace } from './workspace.ts'

/** How a part is to run. */
export interface PartOptions {
  store: Store
  rounds: number
  /** Longest time of a round in milliseconds. */
  ms: number
  /** Small sizes, to see that it runs. */
  quick: boolean
  /** It runs among all the others, so that what takes long takes its smaller size. */
  whole: boolean
  peers: Peers
  places: Workspace
}

export type PartTable = Omit<Table, 'part' | 'store'>

/** Some lines of the benchmark under one name. It gives its tables one by one, as they are done. */
export interface Part {
  name: string
  stores: readonly Store[]
  /** Its lines have one caller, who takes turns with a server. */
  oneCaller?: true
  run(setting: PartOptions): AsyncGenerator<PartTable>
}
