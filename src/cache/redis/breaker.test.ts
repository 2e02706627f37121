import { expect, it } from 'vitest'
import { breaker } from './breaker.ts'

const made = () => breaker({ failures: 3, settleMs: 100 })

it('opens after failures in a row, and not before', () => {
  const one = made()
  for (const after of [one.failed(), one.failed(), one.succeeded(), one.failed(), one.failed()])
    expect(after).toBeFalsy()
  expect(one.allowsReads(0)).toBe(true)
  expect(one.failed()).toBe(true)
  expect(one.allowsReads(0)).toBe(false)
  expect(one.allowsWrites()).toBe(false)
})

it('does not open twice, and a late response does not close it', () => {
  const one = made()
  for (let n = 0; n < 3; n++) one.failed()
  expect(one.failed()).toBe(false)
  one.succeeded()
  expect(one.allowsWrites()).toBe(false)
  expect(one.allowsReads(1e9)).toBe(false)
})

it('allows writes immediately after recovery, and reads after the settling time', () => {
  const one = made()
  for (let n = 0; n < 3; n++) one.failed()
  one.recovered(1000)
  expect(one.allowsWrites()).toBe(true)
  expect(one.allowsReads(1099)).toBe(false)
  expect(one.allowsReads(1100)).toBe(true)
  // the failure count starts again
  expect(one.failed()).toBe(false)
})

it('opens again with the first failure while it settles', () => {
  const one = made()
  for (let n = 0; n < 3; n++) one.failed()
  one.recovered(1000)
  expect(one.failed()).toBe(true)
  expect(one.allowsWrites()).toBe(false)
  expect(one.allowsReads(5000)).toBe(false)
})

it('does not settle if it was not open', () => {
  const one = made()
  one.recovered(1000)
  expect(one.allowsReads(1000)).toBe(true)
})
