import { Registry } from 'prom-client'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { prometheusMetrics } from './prometheus.ts'

/** Lines of a metric as Prometheus reads them, without its help and type. */
async function linesOf(registry: Pick<Registry, 'metrics'>, name: string): Promise<string[]> {
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith(name))
}

/** The same without those that are still at 0. */
async function countsOf(registry: Registry, name: string): Promise<string[]> {
  return (await linesOf(registry, name)).filter((line) => !line.endsWith(' 0'))
}

describe('prometheusMetrics', () => {
  it('counts what was read from the store by its result, and how long it took', async () => {
    const registry = new Registry()
    const metrics = await prometheusMetrics(registry)
    metrics.refreshed('found', 0.002)
    metrics.refreshed('found', 0.25)
    metrics.refreshed('error', 30)
    expect(await countsOf(registry, 'session_envelope_refresh_total')).toEqual([
      'session_envelope_refresh_total{result="found"} 2',
      'session_envelope_refresh_total{result="error"} 1',
    ])
    const seconds = await linesOf(registry, 'session_envelope_refresh_seconds')
    expect(seconds).toContain('session_envelope_refresh_seconds_bucket{le="0.001",result="found"} 0')
    expect(seconds).toContain('session_envelope_refresh_seconds_bucket{le="0.0025",result="found"} 1')
    expect(seconds).toContain('session_envelope_refresh_seconds_bucket{le="0.25",result="found"} 2')
    expect(seconds).toContain('session_envelope_refresh_seconds_sum{result="found"} 0.252')
    expect(seconds).toContain('session_envelope_refresh_seconds_bucket{le="5",result="error"} 0')
    expect(seconds).toContain('session_envelope_refresh_seconds_count{result="error"} 1')
  })

  it('counts what the cache tells, and its writes once more as syncs', async () => {
    const registry = new Registry()
    const { cache } = await prometheusMetrics(registry)
    cache.count('get', 'hit')
    cache.count('fill', 'refused')
    cache.count('purge', 'purged')
    for (const result of ['written', 'written', 'written', 'error', 'skipped', 'skipped']) cache.count('write', result)
    const name = 'session_envelope_cache_events_total'
    expect((await countsOf(registry, name)).toSorted()).toEqual([
      `${name}{operation="fill",result="refused"} 1`,
      `${name}{operation="get",result="hit"} 1`,
      `${name}{operation="purge",result="purged"} 1`,
      `${name}{operation="write",result="error"} 1`,
      `${name}{operation="write",result="skipped"} 2`,
      `${name}{operation="write",result="written"} 3`,
    ])
    expect(await linesOf(registry, 'conversation_worker_session_cache_sync_total')).toEqual([
      'conversation_worker_session_cache_sync_total{result="ok"} 3',
      'conversation_worker_session_cache_sync_total{result="error"} 1',
      'conversation_worker_session_cache_sync_total{result="skipped"} 2',
    ])
  })

  it('counts what was refused by its reason, known before or not', async () => {
    const registry = new Registry()
    const metrics = await prometheusMetrics(registry)
    metrics.invalid('reserved_key')
    metrics.invalid('something_new')
    expect(await countsOf(registry, 'session_envelope_validation_failures_total')).toEqual([
      'session_envelope_validation_failures_total{reason="reserved_key"} 1',
      'session_envelope_validation_failures_total{reason="something_new"} 1',
    ])
  })

  it('counts writes by operation and status, and how long they took', async () => {
    const registry = new Registry()
    const metrics = await prometheusMetrics(registry)
    metrics.wrote('update', 'ok', 0.0004)
    metrics.wrote('update', 'error', 5)
    metrics.wrote('rollback', 'ok', 0.02)
    expect(await countsOf(registry, 'session_envelope_write_total')).toEqual([
      'session_envelope_write_total{operation="update",status="ok"} 1',
      'session_envelope_write_total{operation="update",status="error"} 1',
      'session_envelope_write_total{operation="rollback",status="ok"} 1',
    ])
    const seconds = await linesOf(registry, 'session_envelope_write_seconds')
    expect(seconds).toContain('session_envelope_write_seconds_bucket{le="0.0005",operation="update"} 1')
    expect(seconds).toContain('session_envelope_write_seconds_bucket{le="5",operation="update"} 2')
    expect(seconds).toContain('session_envelope_write_seconds_count{operation="rollback"} 1')
  })

  it('counts writes beyond a quota', async () => {
    const registry = new Registry()
    const metrics = await prometheusMetrics(registry)
    metrics.overQuota('tenant')
    metrics.overQuota('tenant')
    expect(await countsOf(registry, 'throughline_quota_refusals_total')).toEqual([
      'throughline_quota_refusals_total{quota="tenant"} 2',
    ])
  })

  it('begins at 0 what rates are made of', async () => {
    const registry = new Registry()
    await prometheusMetrics(registry)
    const begun = (await registry.metrics()).split('\n').filter((line) => line.endsWith(' 0'))
    const cache = (operation: string, result: string) =>
      `session_envelope_cache_events_total{operation="${operation}",result="${result}"} 0`
    const writes = ['create', 'fork', 'update', 'backfill', 'rebuild', 'rollback']
    expect(begun.toSorted()).toEqual(
      [
        ...['found', 'missing', 'error'].map((result) => `session_envelope_refresh_total{result="${result}"} 0`),
        ...['hit', 'miss'].map((result) => cache('get', result)),
        ...['get', 'fill', 'write', 'purge'].flatMap((one) => [cache(one, 'error'), cache(one, 'skipped')]),
        ...['reserved_key', 'invalid_metadata', 'invalid_input', 'cached_envelope'].map(
          (reason) => `session_envelope_validation_failures_total{reason="${reason}"} 0`,
        ),
        ...writes.flatMap((operation) =>
          ['ok', 'error'].map(
            (status) => `session_envelope_write_total{operation="${operation}",status="${status}"} 0`,
          ),
        ),
        ...['ok', 'error', 'skipped'].map(
          (result) => `conversation_worker_session_cache_sync_total{result="${result}"} 0`,
        ),
        ...['tenant', 'user'].map((quota) => `throughline_quota_refusals_total{quota="${quota}"} 0`),
      ].toSorted(),
    )
  })

  it('goes on counting when it is called again on the same registry, even at the same moment', async () => {
    const registry = new Registry()
    const [first, second] = await Promise.all([prometheusMetrics(registry), prometheusMetrics(registry)])
    first.invalid('reserved_key')
    first.wrote('update', 'ok', 0.01)
    const third = await prometheusMetrics(registry)
    for (const metrics of [second, third]) {
      metrics.invalid('reserved_key')
      metrics.wrote('update', 'ok', 0.01)
    }
    expect(await countsOf(registry, 'session_envelope_validation_failures_total')).toEqual([
      'session_envelope_validation_failures_total{reason="reserved_key"} 3',
    ])
    expect(await linesOf(registry, 'session_envelope_write_seconds_count')).toEqual([
      'session_envelope_write_seconds_count{operation="update"} 3',
    ])
  })

  it('keeps registries apart', async () => {
    const [one, other] = [new Registry(), new Registry()]
    const metrics = await prometheusMetrics(one)
    await prometheusMetrics(other)
    metrics.refreshed('missing', 0.001)
    expect(await countsOf(other, 'session_envelope_refresh_total')).toEqual([])
  })

  it('uses the same names in OpenMetrics', async () => {
    const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>()
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
    const metrics = await prometheusMetrics(registry)
    metrics.refreshed('found', 0.001)
    expect(await linesOf(registry, 'session_envelope_refresh_total{result="found"}')).toEqual([
      'session_envelope_refresh_total{result="found"} 1',
    ])
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1])('counts without a time where the time is %s', async (seconds) => {
    const registry = new Registry()
    const metrics = await prometheusMetrics(registry)
    metrics.refreshed('found', seconds)
    metrics.wrote('create', 'ok', seconds)
    expect(await countsOf(registry, 'session_envelope_refresh_total')).toHaveLength(1)
    expect(await countsOf(registry, 'session_envelope_write_total')).toHaveLength(1)
    expect(await linesOf(registry, 'session_envelope_refresh_seconds')).toEqual([])
    expect(await linesOf(registry, 'session_envelope_write_seconds')).toEqual([])
  })
})

describe('without prom-client', () => {
  afterEach(() => {
    vi.doUnmock('prom-client')
    vi.resetModules()
  })

  it('says what to install', async () => {
    vi.resetModules()
    vi.doMock('prom-client', () => {
      throw new Error("Cannot find package 'prom-client'")
    })
    const { prometheusMetrics: alone } = await import('./prometheus.ts')
    await expect(alone(new Registry())).rejects.toMatchObject({
      code: 'VALIDATION',
      message: "metrics: 'prom-client' is not installed; run npm install prom-client",
    })
  })
})
