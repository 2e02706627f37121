import type { Metrics } from '../ports/metrics.ts'

/** Counts nothing, for those who do not watch. */
export const noMetrics: Metrics = {
  cache: { count() {} },
  refreshed() {},
  invalid() {},
  wrote() {},
}
