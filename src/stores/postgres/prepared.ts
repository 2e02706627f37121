import type { Submittable } from 'pg'
import { arrayText, bytesOf } from './arrays.ts'

/** What the driver's connection offers to a query that sends itself, as its cursors do. */
interface Wire {
  /** Texts of the statements that the server keeps for this connection, by name. */
  readonly parsedStatements: Readonly<Record<string, string>>
  readonly stream: { cork(): void; uncork(): void }
  parse(statement: { name: string; text: string }): void
  bind(call: { statement: string; values: readonly unknown[]; valueMapper: typeof sent }): void
  describe(what: { type: 'P'; name: '' }): void
  execute(portal: object): void
  sync(): void
}

interface Column {
  name: string
  parse(text: string): unknown
}

/** How the driver reads a value of a type, by the server's number for it. */
export type Parsers = (type: number, format: 'text') => (text: string) => unknown

type Told<Row> = (error: Error | undefined, result: { rows: Row[] }) => void

/** Columns of what each statement of a connection gives. */
const known = new WeakMap<object, Map<string, Column[]>>()

/**
 * A statement that the server keeps, once more with other values. The driver's own query asks each time which columns will come and
 * makes parsers for them, copies its configuration and is an emitter of events: a fifth of what a call costs on this side.
 * Without a name the server keeps nothing, and all is asked each time.
 */
export class Prepared<Row extends object> implements Submittable {
  readonly name: string
  readonly text: string
  callback: Told<Row> | undefined
  readonly #values: readonly unknown[]
  readonly #parsers: Parsers
  readonly #rows: Row[] = []
  #columns: Column[] = []
  #learns: Map<string, Column[]> | undefined
  #failure: Error | undefined

  constructor(name: string, text: string, values: readonly unknown[], parsers: Parsers) {
    this.name = name
    this.text = text
    this.#values = values
    this.#parsers = parsers
  }

  submit(connection: object): void {
    const wire = connection as Wire
    const shapes = known.get(wire) ?? new Map<string, Column[]>()
    known.set(wire, shapes)
    const { name, text } = this
    const isKept = name !== '' && wire.parsedStatements[name] !== undefined
    const columns = isKept ? shapes.get(name) : undefined
    wire.stream.cork()
    try {
      if (!isKept) wire.parse({ name, text })
      wire.bind({ statement: name, values: this.#values, valueMapper: sent })
      if (columns === undefined) {
        this.#learns = shapes
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
    this.#learns?.set(this.name, this.#columns)
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

  // what the driver may call as well, and where nothing is left to be done
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

/** A value as it is sent: text, or bytes in the server's binary form. */
function sent(value: unknown): string | Buffer | null {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return value instanceof Buffer ? value : bytesOf(value)
  return Array.isArray(value) ? arrayText(value) : `${value}`
}
