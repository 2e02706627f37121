import type { Socket } from 'node:net'
import { type Node, NodeConnection } from './node-connection.ts'
import { routeOf } from './partition-rules.ts'
import {
  errorResponse,
  kindOf,
  MessageReader,
  type ParsedStatement,
  READY_FOR_QUERY,
  startupCode,
} from './wire-protocol.ts'

/** Shared by all connections of a router. */
export interface Routing {
  nodes: readonly Node[]
  nodeOf(partition: number): number
  /** Calls with a partition, per node. */
  calls: number[]
  /** Reasons of all refusals. */
  refused: string[]
  /** Sockets to destroy when the router closes. */
  sockets: Set<Socket>
}

const CANCEL_REQUEST = 80877102
/** Requests to encrypt, by TLS and by GSSAPI. */
const ENCRYPTION_REQUESTS: readonly number[] = [80877103, 80877104]
/**
 * Messages of a client that the router supports: neither COPY nor function calls nor passwords. A Flush has no effect
 * before the Sync of its group.
 */
const SUPPORTED = 'PBDCEHSQX'
/** Notifications, notices and settings, which a server may send at any time. */
const ASYNCHRONOUS = 'ANS'

/** The connection of one client. One group of messages runs at a time, so replies keep their order. */
export class RoutedConnection {
  readonly #client: Socket
  readonly #routing: Routing
  readonly #reader = new MessageReader(0)
  readonly #statements = new Map<string, ParsedStatement>()
  /** Groups of messages, each up to a Sync or a query, that wait for the group before them. */
  readonly #groups: Buffer[][] = []
  #unfinished: Buffer[] = []
  #nodes: NodeConnection[] = []
  /** First messages of the first node, held back until all nodes are ready. */
  #greeting: Buffer[] | undefined = []
  #answering: NodeConnection | undefined
  #hasEnded = false

  constructor(client: Socket, routing: Routing) {
    this.#client = client
    this.#routing = routing
    this.#track(client)
    client.on('drain', () => {
      for (const { socket } of this.#nodes) socket.resume()
    })
    client.on('data', (chunk: Buffer) => {
      for (const message of this.#reader.push(chunk)) {
        if (this.#reader.prefix === 0) this.#start(message)
        else this.#collect(message)
      }
      if (this.#groups.length > 0) client.pause()
    })
  }

  #track(socket: Socket): void {
    this.#routing.sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#routing.sockets.delete(socket)
      this.#end()
    })
  }

  #start(message: Buffer): void {
    const code = startupCode(message)
    if (ENCRYPTION_REQUESTS.includes(code)) {
      this.#client.write('N')
    } else if (code === CANCEL_REQUEST) {
      this.#end()
    } else {
      this.#reader.prefix = 1
      this.#nodes = this.#routing.nodes.map((node) => this.#connectTo(node, message))
    }
  }

  #connectTo(to: Node, startup: Buffer): NodeConnection {
    const node = new NodeConnection(to, startup, this.#statements)
    const reader = new MessageReader(1)
    this.#track(node.socket)
    node.socket.on('data', (chunk: Buffer) => {
      this.#client.cork()
      for (const message of reader.push(chunk)) {
        if (this.#greeting === undefined) this.#receive(node, message)
        else this.#greet(node, message, this.#greeting)
      }
      this.#client.uncork()
      if (this.#client.writableNeedDrain) node.socket.pause()
    })
    return node
  }

  #greet(node: NodeConnection, message: Buffer, greeting: Buffer[]): void {
    const kind = kindOf(message)
    if (kind === 'R' && message.readInt32BE(5) !== 0) this.#fail('28000', 'the nodes must not ask for a password')
    if (kind === 'E') this.#end(message)
    if (kind === 'Z') node.isReady = true
    if (node === this.#nodes[0]) greeting.push(message)
    if (!this.#nodes.every(({ isReady }) => isReady)) return
    this.#greeting = undefined
    for (const held of greeting) this.#reply(held)
    this.#advance()
  }

  #collect(message: Buffer): void {
    const kind = kindOf(message)
    if (!SUPPORTED.includes(kind)) this.#fail('08P01', `the router does not support the message ${kind}`)
    this.#unfinished.push(message)
    if (!'SQX'.includes(kind)) return
    this.#groups.push(this.#unfinished)
    this.#unfinished = []
    this.#advance()
  }

  /** Runs groups until one waits for its node. */
  #advance(): void {
    while (this.#greeting === undefined && this.#answering === undefined && !this.#hasEnded) {
      const group = this.#groups.shift()
      if (group === undefined) break
      this.#run(group)
    }
    if (this.#groups.length === 0) this.#client.resume()
  }

  #run(group: readonly Buffer[]): void {
    const { nodeOf, calls, refused } = this.#routing
    const route = routeOf(group, this.#statements, nodeOf)
    if (group.some((message) => kindOf(message) === 'X')) {
      this.#end()
    } else if ('code' in route) {
      refused.push(route.reason)
      this.#reply(errorResponse('ERROR', route.code, route.reason))
      this.#reply(READY_FOR_QUERY)
    } else {
      calls[route.node] = (calls[route.node] ?? 0) + route.calls
      this.#answering = this.#nodes[route.node]
      if (this.#answering === undefined) throw new Error(`nodeOf returned ${route.node}, which is no node`)
      this.#answering.send(group)
    }
  }

  #receive(node: NodeConnection, message: Buffer): void {
    const kind = kindOf(message)
    const isAwaited = node === this.#nodes[0] || node === this.#answering
    if (!node.receive(message) || (ASYNCHRONOUS.includes(kind) && !isAwaited)) return
    if (kind === 'Z' && !message.equals(READY_FOR_QUERY)) this.#fail('0A000', 'a transaction stayed open after a query')
    this.#reply(message)
    if (kind !== 'Z') return
    this.#answering = undefined
    this.#advance()
  }

  #reply(message: Buffer): void {
    if (!this.#hasEnded) this.#client.write(message)
  }

  #fail(code: string, reason: string): void {
    this.#routing.refused.push(reason)
    this.#end(errorResponse('FATAL', code, reason))
  }

  /** Ends the connections to the client and to all nodes. */
  #end(lastMessage?: Buffer): void {
    if (this.#hasEnded) return
    if (lastMessage !== undefined) this.#reply(lastMessage)
    this.#hasEnded = true
    this.#client.destroySoon()
    for (const { socket } of this.#nodes) socket.destroySoon()
  }
}
