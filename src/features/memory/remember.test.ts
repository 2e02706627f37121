import { afterEach, describe, expect, it } from 'vitest'
import type { RememberInput, Throughline } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import type { ChangeRequest } from '../../ports/memory-store.ts'
import type { Store } from '../../ports/store.ts'
import { memoryStore } from '../../stores/memory/index.ts'

const open: Throughline[] = []
afterEach(async () => {
  for (const tl of open.splice(0)) await tl.close()
})

/** A store whose changes are noted; `before` runs ahead of the first one. */
function noting(before = async (_: Store) => {}) {
  const store = memoryStore(uuid7)
  const changes: ChangeRequest[] = []
  const tl = openOn({
    ...store,
    memories: {
      ...store.memories,
      async change(request) {
        changes.push(request)
        if (changes.length === 1) await before(store)
        return await store.memories.change(request)
      },
    },
  })
  open.push(tl)
  return { tl, changes }
}

const letters = (n: number) => String(n).replace(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)] ?? '')
/** A text of 40 different words. */
const long = (n: number) => Array.from({ length: 40 }, (_, i) => `w${letters(n)}q${letters(i)}`).join(' ')
const said = (contents: readonly string[]): RememberInput[] => contents.map((content) => ({ userId: 'ann', content }))
const outcomes = (kept: readonly { outcome: string }[]) => kept.map(({ outcome }) => outcome)

describe('remembering many long memories', () => {
  it('writes all of them in one change, and their words in pieces after it', async () => {
    const { tl, changes } = noting()
    const contents = Array.from({ length: 120 }, (_, i) => long(i))
    const kept = await tl.memories.remember(said(contents))
    expect(new Set(outcomes(kept))).toEqual(new Set(['created']))
    expect(changes.length).toBeGreaterThan(2)
    for (const i of [0, 60, 119]) {
      const { items } = await tl.memories.search({ userId: 'ann', query: `w${letters(i)}qd`, limit: 1 })
      expect(items[0]?.content).toBe(contents[i])
    }
    expect((await tl.memories.list({ userId: 'ann', limit: 500 })).items).toHaveLength(120)
  })

  it('merges those that say the same, stored or in the same call', async () => {
    const { tl } = noting()
    const contents = Array.from({ length: 120 }, (_, i) => long(i))
    await tl.memories.remember(said(contents))
    const again = [...contents.map((content) => `${content} violin`), long(500), `${long(500)} cello`]
    const kept = await tl.memories.remember(said(again))
    expect(outcomes(kept)).toEqual([...contents.map(() => 'merged'), 'created', 'merged'])
    expect(kept.at(-1)?.id).toBe(kept.at(-2)?.id)
  })

  it('merges with one that another call has just written', async () => {
    let other: string | undefined
    const { tl } = noting(async (store) => {
      const tl = openOn(store, { index: false })
      other = (await tl.memories.remember({ userId: 'ann', content: 'Likes the VIOLIN' })).id
    })
    const [first, second] = await tl.memories.remember(said(['Likes violins', 'Lives in Porto']))
    expect([first?.outcome, first?.id, second?.outcome]).toEqual(['merged', other, 'created'])
  })

  it('refuses more than the limit for one call, and writes nothing', async () => {
    const { tl, changes } = noting()
    const metadata = { note: 'x'.repeat(60_000) }
    const inputs = Array.from({ length: 70 }, () => ({ userId: 'ann', content: 'Likes violins', metadata }))
    const refused = { code: 'TOO_LARGE', details: { field: 'memories', limit: LIMITS.remember } }
    await expect(tl.memories.remember(inputs)).rejects.toMatchObject(refused)
    expect(changes).toEqual([])
  })
})
