import type { Throughline } from '../../api.ts'
import type { OpenOptions } from '../../open/options.ts'
import type { Store } from '../../ports/store.ts'

/** A test runner: `vitest`, `node:test` and Jest all fit. */
export interface Runner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>, timeout?: number): unknown
}

/** A database to run the rules of the store port against. */
export interface StoreDatabase {
  /** Connects as another process would. The suite closes the connection. */
  connect(): Promise<Store>
  destroy(): Promise<void>
}

/** A database to run the rules of the API against. */
export interface ApiDatabase {
  /** Connects as another process would, with the options of the test. The suite closes the connection. */
  connect(
    options?: Pick<
      OpenOptions,
      | 'clock'
      | 'tokenizer'
      | 'agents'
      | 'policy'
      | 'classify'
      | 'summarize'
      | 'extract'
      | 'embed'
      | 'index'
      | 'envelopes'
      | 'prices'
      | 'quota'
    >,
  ): Promise<Throughline>
  /** How a child process opens the database. Absent: no other process can, so rules that need one must be skipped. */
  target?: string | OpenOptions
  destroy(): Promise<void>
}

/** Creates the databases of a store for the suites. */
export interface Harness<Database> {
  name: string
  /** A new, empty database. */
  create(): Promise<Database>
  /** Rules this store cannot keep, by id, with the reason; printed. */
  skip?: Readonly<Record<string, string>>
}

/** One rule as a test. Several tests may carry the same id. */
export interface Rule<Database> {
  id: string
  title: string
  check(database: Database): Promise<void>
}

/** Timeout of one rule in milliseconds; rules that start processes take seconds on a busy machine. */
const TIMEOUT = 120_000

interface Closable {
  close(): Promise<void>
}

/** A database whose connections the suites close; cases only open them. */
interface Connectable {
  connect(...options: never[]): Promise<Closable>
  destroy(): Promise<void>
}

export function describeRules<Database extends Connectable>(
  title: string,
  rules: readonly Rule<Database>[],
  harness: Harness<Database>,
  { describe, it }: Runner,
): void {
  describe(`${title} on ${harness.name}`, () => {
    for (const { id, title: sentence, check } of rules) {
      const reason = harness.skip?.[id]
      if (reason !== undefined) {
        console.log(`${harness.name}: rule ${id} does not apply: ${reason}`)
        continue
      }
      it(`${id} ${sentence}`, async () => checkRule(check, await harness.create()), TIMEOUT)
    }
  })
}

/** Runs one case, then closes every connection it opened and destroys the database, even if the case failed. */
async function checkRule<Database extends Connectable>(
  check: (database: Database) => Promise<void>,
  database: Database,
): Promise<void> {
  const connections: Closable[] = []
  const connect = database.connect.bind(database)
  database.connect = async (...options) => {
    const connection = await connect(...options)
    connections.push(connection)
    return connection
  }
  let closed: PromiseSettledResult<void>[] = []
  try {
    await check(database)
  } finally {
    closed = await Promise.allSettled(connections.map((connection) => connection.close()))
    await database.destroy()
  }
  // not in `finally`, where it would hide the error of a failed case
  for (const result of closed) if (result.status === 'rejected') throw result.reason
}
