import type { Observation } from '../../domain/graph.ts'
import { type ToolRule, type ToolTable, type ToolUse, toolTable } from '../../domain/tools/tool-table.ts'
import type { ToolReader } from '../../ports/tool-reader.ts'
import { nodeCrypto } from '../kernel/crypto.ts'
import { checkedObservation } from './staged.ts'

/** Maximum observations of one call. */
const MAX_OBSERVATIONS = 100

/** The known tools and the caller's. */
export function createToolTable(own: Readonly<Record<string, ToolReader>> = {}): ToolTable {
  const entries = Object.entries(own).sort(([a], [b]) => (a < b ? -1 : 1))
  if (entries.length === 0) return toolTable()
  const said = entries.map(([name, reader]) => [name, typeof reader === 'function' ? 'function' : reader])
  const mark = nodeCrypto().hash('sha256', JSON.stringify(said), 'hex').slice(0, 16)
  return toolTable(new Map(entries.map(([name, reader]) => [name, ruleOf(reader)])), mark)
}

function ruleOf(reader: ToolReader): ToolRule {
  if (typeof reader !== 'function') return reader
  return (use) => {
    try {
      const said: unknown = reader({ ...use, arguments: structuredClone(use.arguments) })
      ignoreRejection(said)
      const all: readonly unknown[] = Array.isArray(said) ? said : [said]
      return all.slice(0, MAX_OBSERVATIONS).flatMap((one, i) => valid(one, use, i))
    } catch {
      return []
    }
  }
}

/** A promise is no observation, and its failure must not end the process. */
function ignoreRejection(value: unknown): void {
  if (value instanceof Promise) value.catch(() => {})
}

/** The observation in stored form, with an id that is the same each time; none if it is invalid. */
function valid(observation: unknown, { id }: ToolUse, i: number): Observation[] {
  try {
    return [checkedObservation(observation, 'tools', () => (i === 0 ? id : `${id}.${i}`))]
  } catch {
    return []
  }
}
