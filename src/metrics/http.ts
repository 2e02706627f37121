import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

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
}

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
  return {
    answered({ method, route, status }, time) {
      seconds.observe({ method, route, status }, time)
    },
    streams(change) {
      streams.inc(change)
    },
  }
}
