import { packageFile } from '../package-file.ts'
import { readdirSync, readFileSync, statSync } from './files.ts'

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
    .sort()
    .map((entry) => ({
      version: Number.parseInt(entry, 10),
      name: entry.replace(/\.sql$/, ''),
      // read on first use: most databases are up to date
      get sql() {
        return readMigration(new URL(entry, folder))
      },
    }))
  loaded.set(store, found)
  return found
}

/** The SQL of a migration: a file, or a folder of files joined in the order of their names. The build joins folders. */
export function readMigration(path: URL): string {
  if (statSync(path).isFile()) return readFileSync(path, 'utf8')
  const files = readdirSync(path).sort()
  return files.map((file) => readFileSync(new URL(`${path.href}/${file}`), 'utf8')).join('\n')
}
