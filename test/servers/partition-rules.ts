import { firstInteger, kindOf, type ParsedStatement, queryText, readParse, statementName } from './wire-protocol.ts'

/** Partitions have the numbers from 0 to one less. */
export const PARTITIONS = 1024

/** Where a group of messages goes. */
export interface Route {
  node: number
  /** How many of its statements name a partition. */
  calls: number
}

export interface Refusal {
  code: string
  reason: string
}

/** A schema of the store, except in a cast to one of its types. */
const SCHEMA = /(?<!::)\b(?:context|memori)"?\s*\./gi
const CALL = /\bcontext\.\w+\(\s*\$1\b/g
/** Every node answers these alike, so they need no partition. */
const SAME_EVERYWHERE = /\bcontext\.(?:schema_version|partition_groups)\(\)/g
const TRANSACTION =
  /^\s*(?:begin|start\s+transaction|commit|end|rollback|abort|savepoint|release|prepare\s+transaction)\b/i

/**
 * Decides where a group goes. All its statements must go to one node: those that call the store to the node of their
 * partition, the others to the first.
 * @param statements those that the client prepared earlier
 */
export function routeOf(
  group: readonly Buffer[],
  statements: ReadonlyMap<string, ParsedStatement>,
  nodeOf: (partition: number) => number,
): Route | Refusal {
  const parsed = new Map<string, ParsedStatement>()
  let route: Route | undefined
  for (const message of group) {
    const kind = kindOf(message)
    const name = statementName(message)
    let next: Route | Refusal | undefined
    if (kind === 'Q') {
      next = routeOfQuery(queryText(message))
    } else if (kind === 'P') {
      parsed.set(name ?? '', readParse(message))
    } else if (name !== undefined && kind !== 'C') {
      const statement = parsed.get(name) ?? statements.get(name)
      if (statement === undefined) return { code: '26000', reason: `prepared statement "${name}" does not exist` }
      if (kind === 'B') next = routeOfCall(statement, message, nodeOf)
    }
    if (next === undefined) continue
    if ('code' in next) return next
    if (route !== undefined && route.node !== next.node) return refusal('two nodes in one transaction')
    route = { node: next.node, calls: next.calls + (route?.calls ?? 0) }
  }
  return route ?? { node: 0, calls: 0 }
}

function routeOfQuery(text: string): Route | Refusal {
  if (TRANSACTION.test(text)) return transactionRefusal(text)
  if (mentions(text) > 0) return refusal(`a query without parameters lacks a partition: ${text}`)
  return { node: 0, calls: 0 }
}

function routeOfCall(
  { name, text }: ParsedStatement,
  bind: Buffer,
  nodeOf: (partition: number) => number,
): Route | Refusal {
  if (TRANSACTION.test(text)) return transactionRefusal(text)
  const mentioned = mentions(text)
  if (mentioned === 0) return { node: 0, calls: 0 }
  const partition = firstInteger(bind)
  const isPartition = partition !== undefined && partition >= 0 && partition < PARTITIONS
  if (!isPartition || text.match(CALL)?.length !== mentioned) {
    return refusal(`statement "${name}" lacks a partition: ${text}`)
  }
  return { node: nodeOf(partition), calls: 1 }
}

function mentions(text: string): number {
  return text.replace(SAME_EVERYWHERE, '').match(SCHEMA)?.length ?? 0
}

function transactionRefusal(text: string): Refusal {
  return refusal(`a transaction over several round trips: ${text}`)
}

function refusal(reason: string): Refusal {
  return { code: '0A000', reason }
}
