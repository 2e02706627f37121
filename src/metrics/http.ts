import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** A registry of prom-client. */
export type ServerRegistry = Registry

export function newRegistry(): ServerRegistry {
  return new Registry()
}

/** Upper bounds in seconds: a millisecond is an append on this machine, ten seconds a model that sums up. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What the server counts of itself. */
export interface HttpMetrics {
  /** A request was answered. `route` is the path as it is documented, so that there are as many series as routes. */
  answered(request: { method: string; route: string; status: number }, seconds: number): void
  /** A stream began, or ended. */
  streams(change: 1 | -1): void
}

/** Counts requests into a registry, and what the process itself takes: memory, time, open files. */
export function httpMetrics(registry: ServerRegistry): HttpMetrics {
  const registers = [registry]
  if (registry.getSingleMetric('process_resident_memory_bytes') === undefined) {
    collectDefaultMetrics({ register: registry })
  }
  const seconds =
    (registry.getSingleMetric('throughline_http_request_seconds') as Histogram | undefined) ??
    new Histogram({
      name: 'throughline_http_request_seconds',
      help: 'Time from a request to its answer',
      labelNames: ['method', 'route', 'status'],
      buckets: BUCKETS,
      registers,
    })
  const streams =
    (registry.getSingleMetric('throughline_http_streams') as Gauge | undefined) ??
    new Gauge({ name: 'throughline_http_streams', help: 'Streams that are open', registers })
  return {
    answered({ method, route, status }, time) {
      seconds.observe({ method, route, status }, time)
    },
    streams(change) {
      streams.inc(change)
    },
  }
}
