import fc from 'fast-check'
import { expect, it, describe as suite } from 'vitest'
import { analyzeText } from './analyze.ts'
import { calibrate, cosine, fuseScores, toUnitVector, type Vector } from './fuse.ts'
import { PROBES } from './probes.ts'

function unit(...numbers: number[]): Vector {
  const vector = toUnitVector(numbers)
  if (vector === undefined) throw new Error('points nowhere')
  return vector
}

/** One axis of `dimensions`. */
const axis = (at: number, dimensions: number) =>
  unit(...Array.from({ length: dimensions }, (_, i) => (i === at ? 1 : 0)))

suite('a vector', () => {
  it('keeps its direction at length 1', () => {
    expect([...unit(3, 4)]).toEqual([Math.fround(0.6), Math.fround(0.8)])
    expect([...(toUnitVector(Float64Array.of(0, -2)) ?? [])]).toEqual([0, -1])
  })

  it.each([[1e200], [1e-200]])('normalizes numbers whose squares overflow or vanish: %d', (size) => {
    expect([...unit(3 * size, 4 * size)]).toEqual([Math.fround(0.6), Math.fround(0.8)])
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', '12'],
    ['an object', { embedding: [1, 2] }],
    ['an empty list', []],
    ['a list with a text', [1, '2']],
    ['a list with a hole', new Array(2)],
    ['a number that is none', [1, Number.NaN]],
    ['an infinite number', [1, Number.POSITIVE_INFINITY]],
    ['zeros', [0, -0, 0]],
  ])('is not made of %s', (_, numbers) => {
    expect(toUnitVector(numbers)).toBeUndefined()
  })

  it('has the cosine of the angle between it and another', () => {
    expect(cosine(unit(1, 0), unit(5, 0))).toBe(1)
    expect(cosine(unit(1, 0), unit(0, 2))).toBe(0)
    expect(cosine(unit(1, 1), unit(-1, -1))).toBeCloseTo(-1, 6)
    expect(cosine(unit(1, 0), unit(1, 1))).toBeCloseTo(Math.SQRT1_2, 6)
  })
})

suite('the measure of an embedder', () => {
  const axes = Array.from({ length: 10 }, (_, i) => axis(i, 10))
  /** Answers as they should be, save that the last `wrong` lie where no question does. */
  const answers = (wrong: number) => axes.map((right, i) => (i < 10 - wrong ? right : unit(...right.map((x) => -x))))

  it('gives the maximum weight to an embedder that finds every answer', () => {
    expect(calibrate(axes, axes)).toEqual({ weight: 0.3, spread: 1 })
  })

  it('gives no weight to an embedder that finds all texts similar or no answer', () => {
    const same = axes.map(() => unit(1, 2, 3))
    expect(calibrate(same, same)).toEqual({ weight: 0, spread: 0 })
    expect(calibrate(axes, answers(10)).weight).toBe(0)
  })

  it('raises the weight with the share of answers found, above a minimum', () => {
    const weights = [6, 5, 4, 3, 2, 1, 0].map((wrong) => calibrate(axes, answers(wrong)).weight)
    expect(weights.map((weight) => Number(weight.toFixed(3)))).toEqual([0, 0, 0, 0.247, 0.298, 0.3, 0.3])
  })

  it('measures the spread of cosines', () => {
    const tight = axes.map((vector) => unit(...vector, 2))
    // 1 for its own answer, 4/5 for each other
    expect(calibrate(tight, tight).spread).toBeCloseTo(0.2, 6)
  })
})

suite('words and meaning together', () => {
  const open = { weight: 0.3, spread: 0.5 }

  it('raise similar texts by the weight and others by nothing', () => {
    expect(fuseScores([10, 8, 4], [0.1, 0.7, 0.4], open)).toEqual([10, 11, 5.5])
  })

  it('count a difference less that is small for this embedder', () => {
    // a fifth of the spread: a fifth of the weight
    const [first = 0, second = 0] = fuseScores([10, 9.5], [0.4, 0.5], open)
    expect(first).toBe(10)
    expect(second).toBeCloseTo(10.1, 9)
  })

  it('leave scores as they were where there is no cosine', () => {
    expect(fuseScores([10, 8, 4], [0.1, undefined, 0.7], open)).toEqual([10, 8, 7])
    expect(fuseScores([10, 8], [undefined, undefined], open)).toEqual([10, 8])
    expect(fuseScores([], [], open)).toEqual([])
  })

  it.each([
    ['weight 0', [3, 1], [0.1, 0.9], { weight: 0, spread: 0.5 }],
    ['texts equally near', [3, 1], [0.4, 0.4], { weight: 0.3, spread: 0 }],
    ['no score by words', [0, 0], [0.1, 0.9], open],
    ['a score without end', [Number.POSITIVE_INFINITY, 1], [0.1, 0.9], open],
    ['a score that is none', [Number.NaN, 1], [0.1, 0.9], open],
  ])('leave every score as it was with %s', (_, scores, cosines, calibration) => {
    expect(fuseScores(scores, cosines, calibration)).toEqual(scores)
  })

  it('never raise by more than the weight, even with a tiny spread', () => {
    expect(fuseScores([1, 1], [0, 5e-324], { weight: 0.3, spread: 0 })).toEqual([1, 1.3])
  })

  it('never lower a score, nor raise one by more than the weight', () => {
    const text = fc.record({
      score: fc.double({ min: 0, max: 1e6, noNaN: true }),
      cosine: fc.option(fc.double({ min: -1, max: 1, noNaN: true }), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), fc.double({ min: 0, max: 2, noNaN: true }), (texts, spread) => {
        const scores = texts.map(({ score }) => score)
        const most = Math.max(...scores) * 0.3
        const result = fuseScores(
          scores,
          texts.map(({ cosine }) => cosine),
          { weight: 0.3, spread },
        )
        expect(result).toHaveLength(scores.length)
        result.forEach((after, i) => {
          const before = scores[i] ?? 0
          expect(after).toBeGreaterThanOrEqual(before)
          expect(after).toBeLessThanOrEqual((before + most) * (1 + 1e-12))
        })
      }),
    )
  })
})

suite('the probes', () => {
  it('are 48 questions and 48 answers, each of them once', () => {
    expect(PROBES).toHaveLength(48)
    expect(new Set(PROBES.flat()).size).toBe(96)
  })

  it('share no word between a question and its answer that the index would find', () => {
    const shared = PROBES.map(([question, answer]) => {
      const words = analyzeText(answer).places
      return [...analyzeText(question).places.keys()].filter((term) => words.has(term))
    })
    expect(shared.flat()).toEqual([])
  })
})
