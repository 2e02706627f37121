import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { RequestRate } from './request-rate.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const ADA = { name: 'ada', tenant: 'acme' }
const BOB = { name: 'bob', tenant: 'acme' }
const EVE = { name: 'eve', tenant: 'globex' }

const limited = { code: 'RATE_LIMITED', details: { limit: 'requestsPerSecond', retryAfter: 1 } }

it('limits each caller and each tenant, and starts anew every second', async () => {
  const rate = new RequestRate({ requestsPerSecond: 3, requestsPerSecondPerCaller: 2 })
  for (let second = 0; second < 3; second++) {
    await rate.count(ADA)
    await rate.count(ADA)
    // what a caller sends beyond its limit is not at the cost of its tenant
    for (let n = 0; n < 5; n++) await expect(rate.count(ADA)).rejects.toMatchObject(limited)
    await rate.count(BOB)
    await expect(rate.count(BOB)).rejects.toMatchObject(limited)
    await rate.count(EVE)
    vi.advanceTimersByTime(1000)
  }
})

it('does not limit callers without a tenant, and keeps nothing of them', async () => {
  const rate = new RequestRate({ requestsPerSecond: 1, requestsPerSecondPerCaller: 1 })
  for (let n = 0; n < 100; n++) await rate.count({ name: 'operator' })
  expect(vi.getTimerCount()).toBe(0)
})

it('forgets callers who have gone', async () => {
  const rate = new RequestRate({ requestsPerSecond: 1000, requestsPerSecondPerCaller: 1 })
  for (let n = 0; n < 100; n++) await rate.count({ name: `caller ${n}`, tenant: 'acme' })
  expect(vi.getTimerCount()).toBe(101)
  vi.advanceTimersByTime(1000)
  expect(vi.getTimerCount()).toBe(0)
})
