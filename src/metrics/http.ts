import { getHeapStatistics } from 'node:v8'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** A prom-client registry. */
export type ServerRegistry = Registry

export function newRegistry(): ServerRegistry {
  return new Registry()
}

/** Upper bounds in seconds: an append takes about a millisecond, a model's summary up to ten seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Metrics of the HTTP server. */
export interface HttpMetrics {
  /** Counts a response. `route` is the documented path, so there is one series per route. */
  answered(request: { method: string; route: string; status: number }, seconds: number): void
  /** Counts a stream that opens or closes. */
  streams(change: 1 | -1): void
  /** Counts a refusal because of a limit. */
  refused(limit: string): void
  /** Whether the store served the last check. */
  ready(isReady: boolean): void
  /** Figures of the store, by the names of `StoreHealth.details`. */
  store(details: Readonly<Record<string, string | number>>): void
  /** Sessions that wait for the index. */
  behind(sessions: number): void
}

/** Limits whose refusals start at 0: `increase()` misses the first of a series that starts with it. */
const LIMITS =
  'requests bodies streams bulk requestsPerSecond streamsPerCaller connectionsPerAddress busy stopping keys'.split(' ')

/** Figures in the details of a store. */
const STORE_FIGURES = {
  bytes: ['throughline_store_bytes', 'Size of the database'],
  freeBytes: ['throughline_store_free_bytes', 'Free space on the disk of the database'],
  waiting: ['throughline_store_waiting_calls', 'Calls that wait for a database connection'],
} as const

/** Registers request metrics and the process's own: memory, CPU time, open files. */
export function httpMetrics(registry: ServerRegistry): HttpMetrics {
  const registers = [registry]
  if (registry.getSingleMetric('process_resident_memory_bytes') === undefined) {
    collectDefaultMetrics({ register: registry })
  }
  const seconds =
    (registry.getSingleMetric('throughline_http_request_seconds') as Histogram | undefined) ??
    new Histogram({
      name: 'throughline_http_request_seconds',
      help: 'Time from request to response',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers,
    })
  const streams =
    (registry.getSingleMetric('throughline_http_streams') as Gauge | undefined) ??
    new Gauge({ name: 'throughline_http_streams', help: 'Open streams', registers })
  const gauge = (name: string, help: string) =>
    (registry.getSingleMetric(name) as Gauge | undefined) ?? new Gauge({ name, help, registers })
  const refusals =
    (registry.getSingleMetric('throughline_http_refusals_total') as Counter | undefined) ??
    new Counter({
      name: 'throughline_http_refusals_total',
      help: 'Requests refused because of a limit',
      labelNames: ['limit'],
      registers,
    })
  for (const limit of LIMITS) refusals.inc({ limit }, 0)
  gauge('throughline_heap_limit_bytes', 'Most bytes of the JavaScript heap').set(getHeapStatistics().heap_size_limit)
  const readiness = gauge('throughline_ready', 'Whether the store served the last check: 1 or 0')
  const indexLag = gauge('throughline_index_behind_sessions', 'Sessions that wait for the index, 1000 at most')
  return {
    refused: (limit) => refusals.inc({ limit }),
    ready: (isReady) => readiness.set(isReady ? 1 : 0),
    behind: (sessions) => indexLag.set(sessions),
    store(details) {
      for (const [detail, [name, help]] of Object.entries(STORE_FIGURES)) {
        const value = details[detail]
        if (typeof value === 'number') gauge(name, help).set(value)
      }
    },
    answered({ method, route, status }, time) {
      seconds.observe({ method, route, status }, time)
    },
    streams(change) {
      streams.inc(change)
    },
  }
}
