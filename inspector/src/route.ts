import { computed, signal } from '@preact/signals'

/** Views of one session, in the order of their tabs. */
export const TABS = ['timeline', 'state', 'time', 'agents', 'runs', 'work', 'context', 'memory'] as const

export type Tab = (typeof TABS)[number]

/** Where the page is. Every link leads to one of these. */
export type Route =
  | { view: 'sessions' }
  | { view: 'session'; id: string; tab: Tab }
  | { view: 'memory' }
  | { view: 'connect' }
  | { view: 'notFound' }

/** Values after the `?` of a route. */
export type Values = Readonly<Record<string, string | number | undefined>>

const hash = signal(location.hash)
addEventListener('hashchange', () => {
  hash.value = location.hash
})

const split = computed(() => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?', 2)
  return { parts: path.split('/').filter((part) => part !== ''), query: new URLSearchParams(query) }
})

export const route = computed((): Route => {
  const [view, id, tab = 'timeline'] = split.value.parts
  if (view === undefined) return { view: 'sessions' }
  if (view === 'memory' || view === 'connect') return { view }
  const isTab = (TABS as readonly string[]).includes(tab)
  if (view === 'sessions' && id !== undefined && isTab) return { view: 'session', id: decoded(id), tab: tab as Tab }
  return { view: 'notFound' }
})

/** Values after the `?` of the current route. */
export const query = computed(() => split.value.query)

export const sessionsHref = (values?: Values) => `#/${queryOf(values)}`
export const sessionHref = (id: string, tab: Tab = 'timeline', values?: Values) =>
  `#/sessions/${encodeURIComponent(id)}/${tab}${queryOf(values)}`
/** A link to one event. */
export const eventHref = (id: string, sequence: number) => sessionHref(id, 'timeline', { event: sequence })
export const memoryHref = (values?: Values) => `#/memory${queryOf(values)}`
export const connectHref = () => '#/connect'

/** Goes to a route, with a step in the browser's history. */
export function navigate(href: string): void {
  location.hash = href
}

/** Sets query values of the current route, without a step in the browser's history. */
export function setQuery(values: Values): void {
  const all = { ...Object.fromEntries(query.peek()), ...values }
  history.replaceState(null, '', `#/${split.peek().parts.join('/')}${queryOf(all)}`)
  hash.value = location.hash
}

function queryOf(values: Values = {}): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '')
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
