import type { Counter, Histogram, OpenMetricsContentType, Registry } from 'prom-client'
import { ValidationError } from '../domain/errors.ts'
import type { EnvelopeWrite, Metrics } from '../ports/metrics.ts'

/** The caller's registry, in either exposition format. */
export type MetricsRegistry = Registry | Registry<OpenMetricsContentType>

/** Upper bounds in seconds: reading a row takes about half a millisecond, five seconds mean a hanging store. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

const REASONS = ['reserved_key', 'invalid_metadata', 'invalid_input', 'cached_envelope']

const WRITES: readonly EnvelopeWrite[] = ['create', 'fork', 'update', 'backfill', 'rebuild', 'rollback']

/**
 * Registers metrics with `prom-client` 15, which the caller installs. A second call on the same registry continues its
 * counters. Throws `VALIDATION` if the package is not installed.
 */
export async function prometheusMetrics(registry: MetricsRegistry): Promise<Metrics> {
  const series = createSeries(await loadDriver(), registry)
  const { refreshes, refreshSeconds, cacheEvents, failures, writes, writeSeconds, syncs, quotaRefusals } = series
  initializeSeries(series)

  return {
    cache: {
      count(operation, result) {
        cacheEvents.inc({ operation, result })
        if (operation === 'write') syncs.inc({ result: result === 'written' ? 'ok' : result })
      },
    },
    refreshed(result, seconds) {
      refreshes.inc({ result })
      if (isDuration(seconds)) refreshSeconds.observe({ result }, seconds)
    },
    invalid(reason) {
      failures.inc({ reason })
    },
    wrote(operation, status, seconds) {
      writes.inc({ operation, status })
      if (isDuration(seconds)) writeSeconds.observe({ operation }, seconds)
    },
    overQuota(quota) {
      quotaRefusals.inc({ quota })
    },
  }
}

type Driver = Pick<typeof import('prom-client'), 'Counter' | 'Histogram'>

type Series = ReturnType<typeof createSeries>

/** Creates the series, or reuses those in the registry. */
function createSeries(driver: Driver, registry: MetricsRegistry) {
  const registers = [registry]

  function counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    const made = registry.getSingleMetric<Label>(name) as Counter<Label> | undefined
    return made ?? new driver.Counter({ name, help, labelNames, registers })
  }
  function histogram<Label extends string>(name: string, help: string, ...labelNames: Label[]): Histogram<Label> {
    const made = registry.getSingleMetric<Label>(name) as Histogram<Label> | undefined
    return made ?? new driver.Histogram({ name, help, labelNames, buckets: BUCKETS, registers })
  }

  return {
    refreshes: counter('session_envelope_refresh_total', 'Envelopes read from the store after a cache miss', 'result'),
    refreshSeconds: histogram(
      'session_envelope_refresh_seconds',
      'Time to read an envelope from the store after a cache miss',
      'result',
    ),
    cacheEvents: counter(
      'session_envelope_cache_events_total',
      'Cache operations and their results',
      'operation',
      'result',
    ),
    failures: counter(
      'session_envelope_validation_failures_total',
      'Envelopes and envelope changes that were refused or invalid',
      'reason',
    ),
    writes: counter('session_envelope_write_total', 'Envelopes written to the store', 'operation', 'status'),
    writeSeconds: histogram('session_envelope_write_seconds', 'Time to write an envelope to the store', 'operation'),
    syncs: counter('conversation_worker_session_cache_sync_total', 'Cache updates after writes to the store', 'result'),
    quotaRefusals: counter('throughline_quota_refusals_total', 'Writes refused because of a storage quota', 'quota'),
  }
}

/** Starts series at 0: `increase()` misses the first error of a series that starts with it. */
function initializeSeries({ refreshes, cacheEvents, failures, writes, syncs, quotaRefusals }: Series): void {
  for (const result of ['found', 'missing', 'error']) refreshes.inc({ result }, 0)
  for (const result of ['hit', 'miss']) cacheEvents.inc({ operation: 'get', result }, 0)
  for (const operation of ['get', 'fill', 'write', 'purge'])
    for (const result of ['error', 'skipped']) cacheEvents.inc({ operation, result }, 0)
  for (const reason of REASONS) failures.inc({ reason }, 0)
  for (const operation of WRITES) for (const status of ['ok', 'error']) writes.inc({ operation, status }, 0)
  for (const result of ['ok', 'error', 'skipped']) syncs.inc({ result }, 0)
  for (const quota of ['tenant', 'user']) quotaRefusals.inc({ quota }, 0)
}

/** A caller's clock may go back or return NaN; a histogram would throw or count down. */
const isDuration = (seconds: number) => Number.isFinite(seconds) && seconds >= 0

/** An optional peer dependency, needed only for metrics. */
async function loadDriver(): Promise<Driver> {
  try {
    return await import('prom-client')
  } catch (cause) {
    throw new ValidationError('metrics', "'prom-client' is not installed; run npm install prom-client", { cause })
  }
}
