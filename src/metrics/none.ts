import type { Metrics } from '../ports/metrics.ts'

/** Metrics that count nothing. */
export const noMetrics: Metrics = {
  cache: { count() {} },
  refreshed() {},
  invalid() {},
  wrote() {},
  overQuota() {},
}
