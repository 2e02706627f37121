import { signal } from '@preact/signals'
import { token } from '../../api/token.ts'
import type { Values } from '../../route.ts'
import type { Filters } from './filters.ts'
import { SessionList } from './session-list.ts'

/** Query of the last list; `sessionsHref(lastListQuery.value)` leads back to it. */
export const lastListQuery = signal<Values>({})

let last: { readonly key: string; readonly list: SessionList } | undefined

/** The list for these filters: the last one if it has the same, scrolled to its place if the query is the same too. */
export function listFor(filters: Filters, query: Values): SessionList {
  const key = JSON.stringify([token.peek(), filters])
  if (last?.key !== key) last = { key, list: new SessionList(filters) }
  else if (JSON.stringify(query) !== JSON.stringify(lastListQuery.peek())) last.list.top = 0
  return last.list
}
