import { signal } from '@preact/signals'
import { token } from '../../api/token.ts'
import type { Values } from '../../route.ts'
import type { Filters } from './filters.ts'
import { SessionList } from './session-list.ts'

/** The query of the list that was looked at last: `sessionsHref(lastListQuery.value)` leads back to it. */
export const lastListQuery = signal<Values>({})

let last: { readonly key: string; readonly list: SessionList } | undefined

/** The list of these filters: the one that was looked at last, at its place if the whole query is the same, else a new one. */
export function listFor(filters: Filters, query: Values): SessionList {
  const key = JSON.stringify([token.peek(), filters])
  if (last?.key !== key) last = { key, list: new SessionList(filters) }
  else if (JSON.stringify(query) !== JSON.stringify(lastListQuery.peek())) last.list.top = 0
  return last.list
}
