import { describeRules, type Harness, type Runner } from '../../stores/conformance/harness.ts'
import { failureRules } from './failures.ts'
import { leaseRules } from './leases.ts'
import { lossRules } from './losses.ts'
import type { CacheServer } from './server.ts'

/** Runs the rules of the cache port, C1 to C9, as tests. */
export function describeEnvelopeCache(harness: Harness<CacheServer>, runner: Runner): void {
  describeRules('the cache port', [...leaseRules, ...lossRules, ...failureRules], harness, runner)
}
