import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { distinctiveTerms, isSimilar, normalizedContent, SimilarityIndex } from './similarity.ts'

describe('two memories', () => {
  it.each([
    ['I prefer tabs', 'I PREFER tabs!!'],
    ['Deploys run on Fridays', 'Deploy runs on Friday'],
    ['My sister Eve is going to marry in Porto next May', 'My sister Eve is to marry in Porto next May, you know'],
    ['the of and', 'The of and '],
  ])('say the same: %s / %s', (a, b) => {
    expect(isSimilar(a, b)).toBe(true)
  })

  it.each([
    ['I like tea', "I don't like tea"],
    ['I eat meat', 'I never eat meat'],
    ['Has 2 children', 'Has 3 children'],
    ['The server runs Postgres 15 on port 5432', 'The server runs Postgres 16 on port 5432'],
    ['Lives in Lisbon', 'Lives in Porto'],
    ['Prefers tabs over spaces', 'Prefers spaces over tabs'],
    ['Anna manages Bob', 'Bob manages Anna'],
    ['I moved from Paris to Berlin', 'I moved from Berlin to Paris'],
    ['The server is up', 'The server is down'],
    ['Deploy before noon', 'Deploy after noon'],
    ['Coffee with milk', 'Coffee without milk'],
    ['the of and', 'to be or'],
    ['', 'Lives in Porto'],
  ])('do not: %s / %s', (a, b) => {
    expect(isSimilar(a, b)).toBe(false)
  })

  it('have one gist where only the form differs', () => {
    expect(normalizedContent('Runs the tests, then commits')).toBe(normalizedContent('run tests; then commit!'))
    expect(normalizedContent('runs')).not.toBe(normalizedContent('never runs'))
  })
})

describe('the rarest terms of a memory', () => {
  it('are enough that every similar memory has one of them', () => {
    const frequencies = new Map([
      ['alpha', 9],
      ['beta', 1],
      ['gamma', 5],
    ])
    expect(distinctiveTerms('alpha beta gamma', frequencies)).toEqual(['beta'])
    expect(distinctiveTerms('alpha beta gamma delta epsilon', frequencies)).toHaveLength(2)
    expect(distinctiveTerms('the of', frequencies)).toEqual([])
  })
})

describe('many sayings', () => {
  const word = fc.constantFrom(...'alpha beta gamma delta omega not 3 4'.split(' '))
  const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(' '))

  it('give the same that a look at each of them would', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 20 }), text, (contents, asked) => {
        const sayings = new SimilarityIndex<number>()
        for (const [i, content] of contents.entries()) sayings.add(content, i)
        const found = [...sayings.findSimilar(asked)].sort((a, b) => a - b)
        expect(found).toEqual(contents.flatMap((content, i) => (isSimilar(content, asked) ? [i] : [])))
      }),
    )
  })
})
