import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ValidationError } from '../domain/errors.ts'
import { PROBES } from '../domain/recall/probes.ts'
import type { Embed, Fuse } from '../ports/embed.ts'
import { createFuse } from './embedder.ts'

/** Words that mean alike, a line for each of the probes. */
const CONCEPTS =
  `illness diagnosed|peanut nuts|operation surgeon|fit swim|dish lasagne|alcohol wine|cooking grill|vegetarian meat
holiday sea|office tram|studying norwegian|airport flight|animal tabby|puppy dog|grows planted|weather poured
earn salary|flat mortgage|kitchen dishwasher|saving cash|children daughter|meet introduced|childhood grew|birthday third
instrument cello|books novels|job teach|quit notice|database postgres|slow scanned|outage backup|schema migration
hosted servers|merged pipeline|told alert|release container|log password|delete erase|colour green|phones mobile
flaky clock|language rust|annoys patches|errors exception|tone formal|editor vim|meetings gather|deadline june`
    .split(/[|\n]/)
    .map((line) => new Set(line.split(' ')))

const wordsOf = (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? []

/** Knows the first `known` concepts, and nothing else. */
const understanding = (known: number) => (texts: readonly string[]) =>
  texts.map((text) => [
    0.1,
    ...CONCEPTS.map((concept, i) => (i < known && wordsOf(text).some((word) => concept.has(word)) ? 1 : 0)),
  ])
const good = understanding(48)

/** Counts pieces of the text by a hash of them. */
function hashing(pieces: (text: string) => readonly string[]): Embed {
  return (texts) =>
    texts.map((text) => {
      const counts = new Array<number>(256).fill(0)
      for (const piece of pieces(text)) {
        let hash = 2166136261
        for (const character of piece) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0
        counts[hash % 256] = (counts[hash % 256] ?? 0) + 1
      }
      return counts
    })
}

/** Records what it is asked. */
function recorded(embed: Embed): { embed: Embed; calls: string[][] } {
  const calls: string[][] = []
  return {
    calls,
    embed: (texts) => {
      calls.push([...texts])
      return embed(texts)
    },
  }
}

function fuseOf(embed: Embed, options?: { timeoutMs: number }): Fuse {
  const fuse = createFuse(embed, options)
  if (fuse === undefined) throw new Error('no embedder')
  return fuse
}

const query = 'Any news about the mortgage?'
const items = [
  { content: 'Any news from Ann?', score: 10 },
  { content: 'The flat is ours at last.', score: 9 },
  { content: 'It rained.', score: 1 },
]
const byWords = [10, 9, 1]

describe('an embedder that tells meaning', () => {
  it('ranks an answer without common words higher', async () => {
    const scores = await fuseOf(good)(query, items)
    expect(scores[0]).toBe(10)
    expect(scores[1]).toBeGreaterThan(10)
    expect(scores[2]).toBe(1)
  })

  it('may answer later, and with typed arrays', async () => {
    const later: Embed = async (texts) => good(texts).map((vector) => Float32Array.from(vector))
    expect((await fuseOf(later)(query, items))[1]).toBeGreaterThan(10)
  })

  it('weighs by its quality on the probes, and nothing below the minimum', async () => {
    const gain = async (known: number) => ((await fuseOf(understanding(known))(query, items))[1] ?? 0) - 9
    const [few, some, most, all] = [await gain(28), await gain(32), await gain(34), await gain(48)]
    expect(few).toBe(0)
    expect(some).toBeGreaterThan(0)
    expect(most).toBeGreaterThan(some)
    expect(all).toBeGreaterThan(most)
  })

  it('is measured once, also when many ask at the same time', async () => {
    const { embed, calls } = recorded(async (texts) => good(texts))
    const fuse = fuseOf(embed)
    await Promise.all([fuse(query, items), fuse('Who has a dog?', items)])
    await fuse('Who swims?', items)
    expect(calls.filter((texts) => texts.includes(PROBES[0]?.[0] ?? ''))).toHaveLength(1)
    expect(calls[0]).toHaveLength(96)
  })

  it('is asked in one call, and only for texts it was not asked for before', async () => {
    const { embed, calls } = recorded(good)
    const fuse = fuseOf(embed)
    await fuse(query, [...items, ...items])
    await fuse(query, items)
    await fuse('Who has a flat?', [...items, { content: 'Bob has.', score: 1 }])
    expect(calls.slice(1)).toEqual([
      [query, ...items.map(({ content }) => content)],
      ['Who has a flat?', 'Bob has.'],
    ])
  })

  it('is asked for the best 64, wherever they stand; the others keep their scores, behind', async () => {
    const { embed, calls } = recorded(good)
    const many = Array.from({ length: 70 }, (_, i) => ({ content: `The flat, number ${i}`, score: i + 1 }))
    const scores = await fuseOf(embed)(query, [...many, { content: 'It rained.', score: 71 }])
    expect(calls[1]).toHaveLength(65)
    expect(scores.slice(0, 7)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(scores.slice(7, 70).every((score, i) => score > i + 8)).toBe(true)
    expect(scores[70]).toBe(71)
  })

  it('sees the beginning of long texts, as whole characters, and no blank ones', async () => {
    const { embed, calls } = recorded(good)
    const long = { content: `${'x'.repeat(1999)}😀`, score: 0.5 }
    const scores = await fuseOf(embed)(query, [
      ...items,
      long,
      { content: ' \n', score: 20 },
      { content: '', score: 3 },
    ])
    expect(calls[1]).toEqual([query, ...items.map(({ content }) => content), `${'x'.repeat(1999)}\ufffd`])
    expect(scores.slice(3)).toEqual([0.5, 20, 3])
  })

  it('is not asked where there is nothing to compare', async () => {
    const { embed, calls } = recorded(good)
    const fuse = fuseOf(embed)
    expect(await fuse(query, [])).toEqual([])
    expect(await fuse(query, items.slice(0, 1))).toEqual([10])
    expect(await fuse('  ', items)).toEqual(byWords)
    expect(calls).toEqual([])
  })

  it('is asked again for a text only after 10,000 others', async () => {
    const { embed, calls } = recorded(good)
    const fuse = fuseOf(embed)
    await fuse(query, items)
    for (let i = 0; i < 9_900; i += 60) {
      await fuse(
        query,
        Array.from({ length: 60 }, (_, j) => ({ content: `text ${i + j}`, score: 1 })),
      )
    }
    await fuse(query, items)
    expect(calls.at(-1)).toHaveLength(60)
    for (let i = 0; i < 180; i += 60) {
      await fuse(
        query,
        Array.from({ length: 60 }, (_, j) => ({ content: `more ${i + j}`, score: 1 })),
      )
    }
    await fuse(query, [...items, { content: 'text 0', score: 1 }, { content: 'text 9899', score: 1 }])
    expect(calls.at(-1)).toEqual(['text 0'])
  })

  it('does not change its input', async () => {
    const frozen = Object.freeze(items.map((item) => Object.freeze({ ...item })))
    await expect(fuseOf(good)(query, frozen)).resolves.toHaveLength(3)
  })
})

describe('an embedder that does not tell meaning', () => {
  it.each<[string, Embed]>([
    ['letters', hashing((text) => [...text.toLowerCase()])],
    ['three letters', hashing((text) => [...text].map((_, i) => text.slice(i, i + 3).toLowerCase()))],
    ['words', hashing(wordsOf)],
    ['whole texts', hashing((text) => Array.from({ length: 64 }, (_, i) => `${i} ${text}`))],
    ['nothing', (texts) => texts.map(() => [1, 2, 3])],
  ])('and sees %s, leaves every score as it was, and is sent no text of a user', async (_, embed) => {
    const { embed: asked, calls } = recorded(embed)
    const fuse = fuseOf(asked)
    expect(await fuse(query, items)).toEqual(byWords)
    expect(await fuse('The flat', items)).toEqual(byWords)
    expect(calls).toEqual([PROBES.flat()])
  })
})

describe('an embedder that does not answer as it should', () => {
  const isProbe = (texts: readonly string[]) => texts.length === 96
  /** Does well on the probes, and not afterwards. */
  const later =
    (embed: Embed): Embed =>
    (texts) =>
      isProbe(texts) ? good(texts) : embed(texts)

  /** As it should be, but for the second vector. */
  const spoiled = (texts: readonly string[], spoil: (vector: number[]) => number[]) =>
    good(texts).map((vector, i) => (i === 1 ? spoil(vector) : vector))

  const WRONG: Array<[string, Embed]> = [
    [
      'throws',
      () => {
        throw new Error('no network')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no network'))],
    ['gives nothing', () => undefined as never],
    ['gives an object', () => ({ embeddings: [[1]] }) as never],
    ['gives too few vectors', (texts) => good(texts.slice(1))],
    ['gives too many vectors', (texts) => good([...texts, ''])],
    ['gives a vector that is longer', (texts) => spoiled(texts, (vector) => [...vector, 0])],
    ['gives a number that is none', (texts) => spoiled(texts, ([, ...vector]) => [Number.NaN, ...vector])],
    ['gives a vector of zeros', (texts) => spoiled(texts, (vector) => vector.map(() => 0))],
    ['gives no vector for one', (texts) => spoiled(texts, () => null as never)],
    ['gives other lengths than for the probes', (texts) => texts.map(() => [1])],
  ]

  it.each(WRONG)('and %s from the start, leaves the scores of the words', async (_, embed) => {
    expect(await fuseOf(embed)(query, items)).toEqual(byWords)
  })

  it.each(WRONG)('and %s after the probes, leaves the scores of the words', async (_, embed) => {
    // a probe among the items is known at its old length
    const known = { content: PROBES[0]?.[1] ?? '', score: 2 }
    expect(await fuseOf(later(embed))(query, [...items, known])).toEqual([...byWords, 2])
  })

  it('is left alone for longer and longer, and is as before once it answers', async () => {
    let broken = true
    const { embed, calls } = recorded((texts) => {
      if (broken) throw new Error('no network')
      return good(texts)
    })
    const fuse = fuseOf(embed)
    const asked: number[] = []
    for (let use = 1; use <= 200; use++) {
      const before = calls.length
      expect(await fuse(query, items)).toEqual(byWords)
      if (calls.length > before) asked.push(use)
    }
    // 1, 3, 7, 15, 31, 63 and again 63 uses without it
    expect(asked).toEqual([1, 3, 7, 15, 31, 63, 127, 191])
    broken = false
    for (let use = 201; use < 255; use++) await fuse(query, items)
    expect((await fuse(query, items))[1]).toBeGreaterThan(10)
    broken = true
    await fuse('Another one?', items)
    expect(await fuse(query, items)).toEqual(byWords)
    expect((await fuse(query, items))[1]).toBeGreaterThan(10)
  })

  it('has failed once when many uses fail together', async () => {
    const { embed, calls } = recorded(async () => [])
    const fuse = fuseOf(embed)
    await Promise.all(Array.from({ length: 20 }, () => fuse(query, items)))
    await fuse(query, items)
    expect(calls).toHaveLength(1)
    await fuse(query, items)
    expect(calls).toHaveLength(2)
  })

  it('starts afresh when its vectors change their length', async () => {
    let extra: number[] = []
    const fuse = fuseOf(async (texts) => good(texts).map((vector) => [...vector, ...extra]))
    await fuse(query, items)
    extra = [0]
    expect(await fuse('Is the flat nice?', items)).toEqual(byWords)
    await fuse(query, items)
    expect((await fuse('Is the flat nice?', items))[1]).toBeGreaterThan(10)
  })
})

describe('an embedder that is slow', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('times out after ten seconds or the given time', async () => {
    const never: Embed = () => new Promise(() => {})
    for (const [fuse, time] of [
      [fuseOf(never), 10_000],
      [fuseOf(never, { timeoutMs: 50 }), 50],
    ] as const) {
      const settled = vi.fn()
      const scores = fuse(query, items).finally(settled)
      await vi.advanceTimersByTimeAsync(time - 1)
      expect(settled).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(await scores).toEqual(byWords)
    }
  })

  it('caches a late answer', async () => {
    const answer = Promise.withResolvers<void>()
    const { embed, calls } = recorded(async (texts) => {
      await answer.promise
      return good(texts)
    })
    const fuse = fuseOf(embed)
    const first = fuse(query, items)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await first).toEqual(byWords)
    answer.resolve()
    await vi.advanceTimersByTimeAsync(0)
    await fuse(query, items)
    expect((await fuse(query, items))[1]).toBeGreaterThan(10)
    expect(calls.map((texts) => texts.length)).toEqual([96, 4])
  })

  it('may fail after the timeout, and leaves no timer', async () => {
    const answer = Promise.withResolvers<never>()
    const scores = fuseOf(() => answer.promise)(query, items)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await scores).toEqual(byWords)
    answer.reject(new Error('no network'))
    await vi.advanceTimersByTimeAsync(0)
    await fuseOf(good)(query, items)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('the choice of an embedder', () => {
  it('may be none', () => {
    expect(createFuse(undefined)).toBeUndefined()
  })

  it('must be a function', () => {
    expect(() => createFuse({} as never)).toThrow(ValidationError)
    expect(() => createFuse(null as never)).toThrow('embed')
  })
})
