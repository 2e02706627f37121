import type { Peers, Store } from './lineup.ts'
import type { Table } from './table.ts'
import type { Workspace } from './workspace.ts'

/** Options of a part. */
export interface PartOptions {
  store: Store
  rounds: number
  /** Longest time of a round in milliseconds. */
  ms: number
  /** Small sizes, only to check that it runs. */
  quick: boolean
  /** It runs among all other parts, so long lines use a smaller size. */
  whole: boolean
  peers: Peers
  places: Workspace
}

export type PartTable = Omit<Table, 'part' | 'store'>

/** Some lines of the benchmark under one name. Yields each table when it is done. */
export interface Part {
  name: string
  stores: readonly Store[]
  /** Its lines have one caller, which takes turns with a server. */
  oneCaller?: true
  run(setting: PartOptions): AsyncGenerator<PartTable>
}
