import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { complete } from '../pieces.ts'
import { distinctiveTerms, findSimilar, gistOf, isSimilar } from './similarity.ts'

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
    expect(gistOf('Runs the tests, then commits')).toBe(gistOf('run tests; then commit!'))
    expect(gistOf('runs')).not.toBe(gistOf('never runs'))
  })
})

describe('the rarest terms of a memory', () => {
  it('are twice as many as a similar memory may lack, and one', () => {
    const frequencies = new Map([
      ['alpha', 9],
      ['beta', 1],
      ['gamma', 5],
    ])
    expect(distinctiveTerms(['alpha', 'beta', 'gamma'], frequencies)).toEqual(['beta'])
    expect(distinctiveTerms('alpha beta gamma delta epsilon'.split(' '), frequencies)).toHaveLength(3)
    expect(distinctiveTerms([], frequencies)).toEqual([])
  })
})

describe('similar contents among many', () => {
  const word = fc.constantFrom(...'alpha beta gamma delta omega not 3 4'.split(' '))
  const text = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))

  it('are those that comparing each pair finds', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 30 }), fc.array(text, { maxLength: 5 }), (held, asked) => {
        const found = complete(findSimilar(asked, held))
        for (const [i, content] of asked.entries()) {
          const similar = held.flatMap((other, n) => (isSimilar(content, other) ? [n] : []))
          const isEqual = (n: number) => gistOf(held[n] ?? '') === gistOf(content)
          expect(found[i]).toEqual({ equal: similar.filter(isEqual), near: similar.filter((n) => !isEqual(n)) })
        }
      }),
    )
  })

  it('are found among long ones that share many terms', () => {
    const letters = (n: number) => String(n).replace(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)] ?? '')
    const pair = (i: number, n: number) => `own${letters(i)}q${letters(n)} shared${letters(n)}`
    const long = (i: number) => Array.from({ length: 40 }, (_, n) => pair(i, n)).join(' ')
    const contents = Array.from({ length: 50 }, (_, i) => long(i))
    const found = complete(findSimilar([`${long(7)} violin`, long(50)], contents))
    expect(found.map(({ near }) => near)).toEqual([[7], []])
  })

  it('are found up to a fifth of different terms', () => {
    const words = Array.from('abcdefghijklmnopqrst', (letter) => `${letter}${letter}x`)
    const held = [words.slice(0, 16).join(' '), words.slice(0, 15).join(' ')]
    expect(complete(findSimilar([words.join(' ')], held))).toEqual([{ equal: [], near: [0] }])
  })
})
