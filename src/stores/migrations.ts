import { SchemaNewerError, SchemaOutdatedError } from '../domain/errors.ts'
import { packageFile } from '../package-file.ts'
import { readdirSync, readFileSync, statSync } from './files.ts'

/** One step from a schema to the next. */
export interface Migration {
  version: number
  name: string
  /** Of the SQL without comments and white space. */
  readonly checksum: string
  readonly sql: string
}

/**
 * A part of a migration, between lines such as `-- step: batches`. What comes before the first such line is a
 * `transaction`.
 *
 * - `transaction`: statements in one transaction.
 * - `batches`: one statement that is repeated, each time in a transaction. Its parameter is the text in the column
 *   `next` of its last row, null at first; it ends without a row, or with null.
 * - `concurrently`: one statement outside a transaction, such as `create index concurrently`. Postgres only.
 */
export interface MigrationStep {
  kind: 'transaction' | 'batches' | 'concurrently'
  sql: string
}

/** A row of a ledger. Ledgers of the first pre-releases have no checksum. */
export interface LedgerRow {
  version: number
  checksum?: string
}

type SqlStore = 'postgres' | 'sqlite'

/** A SQLite file with all migrations and no rows. The build makes it; there is none when the code runs from `src/`. */
export const TEMPLATE = packageFile('stores/sqlite/template.db')

/** First line of a migration that the build joined. */
const STATED = /^-- checksum (\w+)\n/

const loaded = new Map<SqlStore, Migration[]>()

/** The migrations of a store, in order. Reads the folder once. */
export function migrationsOf(store: SqlStore): Migration[] {
  const known = loaded.get(store)
  if (known !== undefined) return known
  const folder = packageFile(`stores/${store}/migrations/`)
  const found = readdirSync(folder)
    .sort()
    .map((entry) => migrationAt(entry, folder))
  loaded.set(store, found)
  return found
}

function migrationAt(entry: string, folder: URL): Migration {
  let checksum: string | undefined
  const sql = () => readMigration(new URL(entry, folder))
  return {
    version: Number.parseInt(entry, 10),
    name: entry.replace(/\.sql$/, ''),
    get checksum() {
      checksum ??= checksumOf(sql())
      return checksum
    },
    get sql() {
      return sql()
    },
  }
}

/** The SQL of a migration: a file, or a folder of files joined in the order of their names. */
export function readMigration(path: URL): string {
  if (statSync(path).isFile()) return readFileSync(path, 'utf8')
  const files = readdirSync(path).sort()
  return files.map((file) => readFileSync(new URL(`${path.href}/${file}`), 'utf8')).join('\n')
}

/** A migration as the build stores it: in one file, with its checksum, which would take 5 ms of every open. */
export function joinMigration(path: URL): string {
  const sql = readMigration(path)
  return `-- checksum ${checksumOf(sql)}\n${sql}`
}

const STEP = /^-- step: (transaction|batches|concurrently)$/m

/** The steps of a migration. The last is a transaction, so that it can hold the row of the ledger. */
export function stepsOf(sql: string): MigrationStep[] {
  const parts = ['transaction', ...sql.split(STEP), 'transaction', '']
  const steps = parts.flatMap((kind, i) =>
    i % 2 === 0 ? [{ kind: kind as MigrationStep['kind'], sql: parts[i + 1] ?? '' }] : [],
  )
  return steps.at(-2)?.kind === 'transaction' ? steps.slice(0, -1) : steps
}

function checksumOf(sql: string): string {
  const plain = () => sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim()
  return STATED.exec(sql)?.[1] ?? process.getBuiltinModule('node:crypto').hash('sha256', plain()).slice(0, 16)
}

/** Schema that this version of the package works with. */
export function knownSchema(store: SqlStore): number {
  return migrationsOf(store).at(-1)?.version ?? 0
}

/** Version of the schema that a ledger describes; 0: none. */
export function newestIn(ledger: readonly LedgerRow[]): number {
  return Math.max(0, ...ledger.map(({ version }) => version))
}

/** Like {@link newestIn}. Throws if a package with these migrations can neither use nor migrate the schema. */
export function schemaIn(ledger: readonly LedgerRow[], migrations: readonly Migration[]): number {
  const known = migrations.at(-1)?.version ?? 0
  const found = newestIn(ledger)
  const checksums = new Map(migrations.map(({ version, checksum }) => [version, checksum]))
  const isOurs = ({ version, checksum }: LedgerRow) =>
    checksum !== undefined && checksum === (checksums.get(version) ?? checksum)
  if (!ledger.every(isOurs)) throw new SchemaOutdatedError({ found, needed: known, madeBy: 'pre-release' })
  if (found > known) throw new SchemaNewerError({ found, known })
  return found
}
