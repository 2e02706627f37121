import type { SessionRecord } from '../../api/types.ts'

/** Names of the filters, as they stand in the address. */
export const FILTER_NAMES = ['status', 'agent', 'user', 'chatmode', 'conversation', 'tenant'] as const

/** Which sessions are wanted; each is exact. */
export type Filters = Readonly<Partial<Record<(typeof FILTER_NAMES)[number], string>>>

/** The filters in the query of an address. */
export function filtersIn(query: URLSearchParams): Filters {
  const given = FILTER_NAMES.map((name) => [name, query.get(name) ?? ''] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** The same as the server takes them. */
export function queryOf({ status, agent, ...fixed }: Filters) {
  return { ...fixedQueryOf(fixed), status, agent }
}

/** Those that a session fits once and for all. What does not fit the others now may do so later, and the other way round. */
export function fixedQueryOf({ user: userId, chatmode, conversation: conversationId, tenant }: Filters) {
  return { userId, chatmode, conversationId, tenant }
}

/** Whether a session that fits the fixed filters fits the others as well. */
export function matchesFilters({ status, activeAgent }: SessionRecord, filters: Filters): boolean {
  if (filters.status !== undefined && status.state !== filters.status) return false
  return filters.agent === undefined || activeAgent === filters.agent
}
