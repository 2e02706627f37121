import { packageFile } from '../package-file.ts'
import { readdirSync, readFileSync } from './files.ts'

/** One step from a schema to the next. */
export interface Migration {
  version: number
  name: string
  readonly sql: string
}

/** A SQLite file with all steps and no rows. The build makes it: where the code runs as it was written there is none. */
export const BLANK = packageFile('stores/sqlite/blank.db')

const loaded = new Map<string, Migration[]>()

/** The steps of a store, in order; looked for once. */
export function migrationsOf(store: 'postgres' | 'sqlite'): Migration[] {
  const known = loaded.get(store)
  if (known !== undefined) return known
  const folder = packageFile(`stores/${store}/migrations/`)
  const found = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({
      version: Number.parseInt(file, 10),
      name: file,
      // most who open a store have them all behind them
      get sql() {
        return readFileSync(new URL(file, folder), 'utf8')
      },
    }))
  loaded.set(store, found)
  return found
}
