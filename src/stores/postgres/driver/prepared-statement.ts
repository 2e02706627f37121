import type { Submittable } from 'pg'
import { arrayText, toBuffer } from '../arrays.ts'

/** Private parts of the driver's connection, which its cursors use too. Tested on the lowest and newest driver. */
interface Wire {
  /** Texts of the statements that are prepared on this connection, by name. */
  readonly parsedStatements: Readonly<Record<string, string>>
  readonly stream: { cork(): void; uncork(): void }
  parse(statement: { name: string; text: string }): void
  bind(call: { statement: string; values: readonly unknown[]; valueMapper: typeof encodeValue }): void
  describe(what: { type: 'P'; name: '' }): void
  execute(portal: object): void
  sync(): void
}

interface Column {
  name: string
  parse(text: string): unknown
}

/** Finds the driver's parser for a type, by its OID. */
export type Parsers = (type: number, format: 'text') => (text: string) => unknown

type Callback<Row> = (error: Error | undefined, result: { rows: Row[] }) => void

/** Columns of the prepared statements of each connection. */
const columnsOf = new WeakMap<object, Map<string, Column[]>>()

/**
 * Executes a prepared statement. The driver's own query describes the columns and creates parsers on every call, copies
 * its configuration and is an event emitter: a fifth of a call's cost on the client. Without a name nothing is prepared
 * on the server.
 */
export class PreparedStatement<Row extends object> implements Submittable {
  readonly name: string
  readonly text: string
  callback: Callback<Row> | undefined
  readonly #values: readonly unknown[]
  readonly #parsers: Parsers
  readonly #rows: Row[] = []
  #columns: Column[] = []
  #learnedColumns: Map<string, Column[]> | undefined
  #failure: Error | undefined

  constructor(name: string, text: string, values: readonly unknown[], parsers: Parsers) {
    this.name = name
    this.text = text
    this.#values = values
    this.#parsers = parsers
  }

  submit(connection: object): void {
    const wire = connection as Wire
    const shapes = columnsOf.get(wire) ?? new Map<string, Column[]>()
    columnsOf.set(wire, shapes)
    const { name, text } = this
    const isPrepared = name !== '' && wire.parsedStatements[name] !== undefined
    const columns = isPrepared ? shapes.get(name) : undefined
    wire.stream.cork()
    try {
      if (!isPrepared) wire.parse({ name, text })
      wire.bind({ statement: name, values: this.#values, valueMapper: encodeValue })
      if (columns === undefined) {
        this.#learnedColumns = shapes
        wire.describe({ type: 'P', name: '' })
      } else {
        this.#columns = columns
      }
      wire.execute({})
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#parsers(dataTypeID, 'text') }))
    this.#learnedColumns?.set(this.name, this.#columns)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    const row: Record<string, unknown> = {}
    try {
      this.#columns.forEach(({ name, parse }, i) => {
        const value = fields[i] ?? null
        row[name] = value === null ? null : parse(value)
      })
      this.#rows.push(row as Row)
    } catch (error) {
      this.#failure = error as Error
    }
  }

  handleError(error: Error): void {
    this.callback?.(error, { rows: [] })
  }

  handleReadyForQuery(): void {
    this.callback?.(this.#failure, { rows: this.#rows })
  }

  // the driver may call these too; there is nothing to do
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

/** A parameter as text, or as bytes in binary format. */
function encodeValue(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return value instanceof Buffer ? value : toBuffer(value)
  return Array.isArray(value) ? arrayText(value) : `${value}`
}
