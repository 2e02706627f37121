import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { RateLimitedError } from '../domain/errors.ts'
import type { Holder } from './share.ts'

/** Limits the requests per second of each tenant and caller, in this process. */
export class RequestRate {
  readonly #tenants: RateLimiterMemory
  readonly #callers: RateLimiterMemory

  constructor(limits: { requestsPerSecond: number; requestsPerSecondPerCaller: number }) {
    this.#tenants = new RateLimiterMemory({ points: limits.requestsPerSecond, duration: 1 })
    this.#callers = new RateLimiterMemory({ points: limits.requestsPerSecondPerCaller, duration: 1 })
  }

  /** Counts a request; throws `RateLimitedError` if there were too many in this second. */
  async count({ name, tenant }: Holder): Promise<void> {
    if (tenant === undefined) return
    try {
      // the caller first: what one caller sends in vain does not count for its tenant
      await this.#callers.consume(name)
      await this.#tenants.consume(tenant)
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal
      const retryAfter = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
      throw new RateLimitedError({ limit: 'requestsPerSecond', retryAfter }, { cause: refusal })
    }
  }
}
