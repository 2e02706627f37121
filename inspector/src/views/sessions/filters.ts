import type { SessionRecord } from '../../api/types.ts'

/** Names of the filters in the address. */
export const FILTER_NAMES = ['status', 'agent', 'user', 'chatmode', 'conversation', 'tenant'] as const

/** Exact values that sessions must have. */
export type Filters = Readonly<Partial<Record<(typeof FILTER_NAMES)[number], string>>>

/** The filters in the query of an address. */
export function filtersIn(query: URLSearchParams): Filters {
  const given = FILTER_NAMES.map((name) => [name, query.get(name) ?? ''] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** The filters as a query of the API. */
export function queryOf({ status, agent, ...fixed }: Filters) {
  return { ...fixedQueryOf(fixed), status, agent }
}

/** Filters on values that never change. Status and agent may match later, or no longer. */
export function fixedQueryOf({ user: userId, chatmode, conversation: conversationId, tenant }: Filters) {
  return { userId, chatmode, conversationId, tenant }
}

/** Whether a session that matches the fixed filters matches the others too. */
export function matchesFilters({ status, activeAgent }: SessionRecord, filters: Filters): boolean {
  if (filters.status !== undefined && status.state !== filters.status) return false
  return filters.agent === undefined || activeAgent === filters.agent
}
