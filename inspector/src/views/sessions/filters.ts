import type { SessionRecord } from '../../api/types.ts'
import { parseMetadata } from './metadata-filter.ts'
import { idIn } from './search.ts'

/** Names of the filters in the address. */
export const FILTER_NAMES = [
  'status',
  'agent',
  'user',
  'chatmode',
  'conversation',
  'tenant',
  'parent',
  'metadata',
] as const

/** Exact values that sessions must have. */
export type Filters = Readonly<Partial<Record<(typeof FILTER_NAMES)[number], string>>>

/** Whether the server takes the value of a filter. */
export function isFilter(name: (typeof FILTER_NAMES)[number], value: string): boolean {
  if (name === 'metadata') return parseMetadata(value) !== undefined
  return name !== 'parent' || idIn(value) !== undefined
}

/** The filters in the query of an address, without malformed ones. */
export function filtersIn(query: URLSearchParams): Filters {
  const given = FILTER_NAMES.map((name) => [name, query.get(name) ?? ''] as const)
  return Object.fromEntries(given.filter(([name, value]) => value !== '' && isFilter(name, value)))
}

/** The filters as a query of the API. */
export function queryOf({ status, agent, ...fixed }: Filters) {
  return { ...fixedQueryOf(fixed), status, agent }
}

/** Filters on values that never change. Status and agent may match later, or no longer. */
export function fixedQueryOf({
  user: userId,
  chatmode,
  conversation: conversationId,
  tenant,
  parent,
  metadata,
}: Filters) {
  const members = metadata === undefined ? undefined : parseMetadata(metadata)
  return { userId, chatmode, conversationId, tenant, parent, metadata: members && JSON.stringify(members) }
}

/** Whether a list with these filters shows sub-agents below their parents: not where it picks single sessions. */
export function isTree({ status, agent, parent, metadata }: Filters): boolean {
  return status === undefined && agent === undefined && parent === undefined && metadata === undefined
}

/** Whether a session that matches the fixed filters matches the others too. */
export function matchesFilters({ status, activeAgent }: SessionRecord, filters: Filters): boolean {
  if (filters.status !== undefined && status.state !== filters.status) return false
  return filters.agent === undefined || activeAgent === filters.agent
}
