import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PARTITIONS, partitionInId, partitionOf, sessionIdFor } from './partition.ts'
import { PARTITION_VECTORS } from './partition-vectors.ts'

describe('partitionOf', () => {
  it.each(PARTITION_VECTORS)('puts user %j %j into partition %i', (tenant, userId, partition) => {
    expect(partitionOf(tenant, userId)).toBe(partition)
  })

  it('hashes the UTF-8 bytes of tenant, a zero byte and user id', () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed() && !value.includes('\0'))
    fc.assert(
      fc.property(text, text, (tenant, userId) => {
        let hash = 0x811c9dc5
        for (const byte of new TextEncoder().encode(`${tenant}\0${userId}`)) hash = Math.imul(hash ^ byte, 0x01000193)
        hash >>>= 0
        expect(partitionOf(tenant, userId)).toBe((hash ^ (hash >>> 10) ^ (hash >>> 20)) & (PARTITIONS - 1))
      }),
    )
  })

  it('spreads similar users evenly', () => {
    const names: ((n: number) => [string, string])[] = [
      (n) => ['local', `user-${n}`],
      (n) => ['local', String(n)],
      (n) => [`tenant-${n}`, 'admin'],
      (n) => ['acme', `person.${n}@example.org`],
    ]
    for (const name of names) {
      const counts = new Array<number>(PARTITIONS).fill(0)
      for (let n = 0; n < 100 * PARTITIONS; n++) {
        const partition = partitionOf(...name(n))
        counts[partition] = (counts[partition] ?? 0) + 1
      }
      // the sum of squares of 1,023 standard normal deviates: 1,250 is five standard deviations above its mean
      expect(counts.reduce((sum, count) => sum + (count - 100) ** 2 / 100, 0)).toBeLessThan(1250)
    }
  })
})

describe('a session id', () => {
  it('points to the partition of its owner and keeps its other bits', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), fc.string(), (id, tenant, userId) => {
        const made = sessionIdFor({ tenant, userId }, id)
        expect(partitionInId(made)).toBe(partitionOf(tenant, userId))
        expect(made.slice(0, -3)).toBe(id.slice(0, -3))
        expect(Number.parseInt(made.slice(-3), 16) >> 10).toBe(Number.parseInt(id.slice(-3), 16) >> 10)
        expect(sessionIdFor({ tenant, userId }, made)).toBe(made)
      }),
    )
  })
})
