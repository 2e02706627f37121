import { connect, type Socket } from 'node:net'
import {
  closeStatement,
  kindOf,
  type ParsedStatement,
  readParse,
  statementName,
  withDatabase,
} from './wire-protocol.ts'

/** A database that holds some of the partitions. */
export interface Node {
  host: string
  port: number
  database: string
}

/** The connection to one node for one client. It prepares the client's statements when the node needs them. */
export class NodeConnection {
  readonly socket: Socket
  isReady = false
  /** Statements that the client prepared on any node, by name. */
  readonly #statements: Map<string, ParsedStatement>
  /** Statements that this node knows, by name. */
  readonly #prepared = new Map<string, ParsedStatement>()
  /** Parse and Close messages without a reply so far, in order. */
  #unanswered: { isFromClient: boolean; done(): void }[] = []

  constructor({ host, port, database }: Node, startup: Buffer, statements: Map<string, ParsedStatement>) {
    this.socket = connect({ host, port, noDelay: true })
    this.#statements = statements
    this.socket.write(withDatabase(startup, database))
  }

  /** Sends a group of messages, and before them the statements that the node does not know. */
  send(group: readonly Buffer[]): void {
    const parsed = new Set<string>()
    this.socket.cork()
    for (const message of group) {
      const kind = kindOf(message)
      const name = statementName(message)
      if (kind === 'P') {
        const statement = readParse(message)
        parsed.add(statement.name)
        this.#prepare(statement, true)
      } else if (kind === 'C') {
        this.#close(message, name, true)
      } else {
        const statement = name === undefined || parsed.has(name) ? undefined : this.#statements.get(name)
        if (statement !== undefined && this.#prepared.get(statement.name) !== statement) {
          this.#prepare(statement, false)
        }
        this.socket.write(message)
      }
    }
    this.socket.uncork()
  }

  /** Reads a reply. @returns whether the client expects it */
  receive(message: Buffer): boolean {
    const kind = kindOf(message)
    // after an error the node skips the rest of the group
    if (kind === 'Z') this.#unanswered = []
    // ParseComplete and CloseComplete
    if (kind !== '1' && kind !== '3') return true
    const request = this.#unanswered.shift()
    request?.done()
    return request?.isFromClient ?? true
  }

  #prepare(statement: ParsedStatement, isFromClient: boolean): void {
    const { name, message } = statement
    // the client may have closed it on the other node, or prepared it again
    if (name !== '' && this.#prepared.has(name)) this.#close(closeStatement(name), name, false)
    const done = () => {
      this.#statements.set(name, statement)
      this.#prepared.set(name, statement)
    }
    this.#unanswered.push({ isFromClient, done })
    this.socket.write(message)
  }

  /** @param name absent for a portal */
  #close(message: Buffer, name: string | undefined, isFromClient: boolean): void {
    const done = () => {
      if (name === undefined) return
      this.#prepared.delete(name)
      if (isFromClient) this.#statements.delete(name)
    }
    this.#unanswered.push({ isFromClient, done })
    this.socket.write(message)
  }
}
