import { describe, expect, it } from 'vitest'
import { dateFit, dateSpan, parseQueryDate } from './dates.ts'
import { parseQuery } from './query.ts'

const termsOf = (text: string, speakers: string[] = []) => parseQuery(text, speakers).terms.map(({ term }) => term)

describe('parseQuery', () => {
  it('takes the speaker it names out of the terms', () => {
    const question = parseQuery("What is Margaret's favourite recipe?", ['Margaret', 'Paul'])
    expect(question.subject).toBe('Margaret')
    expect(question.terms.map(({ term }) => term)).not.toContain('margaret')
  })

  it('knows short forms of names, and names typed without capitals', () => {
    expect(parseQuery('Where did Marg eat?', ['Margaret']).subject).toBe('Margaret')
    expect(parseQuery('where did margaret eat?', ['Margaret']).subject).toBe('Margaret')
    expect(parseQuery('Where did Ma eat?', ['Margaret']).subject).toBeUndefined()
  })

  it('does not take a small word for a name when names have capitals', () => {
    expect(parseQuery('What mark did Paul get?', ['Mark', 'Paul']).subject).toBe('Paul')
  })

  it('reads "I" as the user and "you" as the assistant', () => {
    expect(parseQuery('What did I order?', ['user', 'assistant']).subject).toBe('user')
    expect(parseQuery('What did you suggest?', ['user', 'assistant']).subject).toBe('assistant')
    expect(parseQuery('What was ordered?', ['user', 'assistant']).subject).toBeUndefined()
  })

  it('is about the first of several, and about none of those it joins', () => {
    const both = ['Margaret', 'Paul']
    expect(parseQuery('What did Paul lend Margaret?', both).subject).toBe('Paul')
    expect(parseQuery('What do Paul and Margaret sing?', both).subject).toBeUndefined()
  })

  it.each([
    ['Which pump did you suggest for my pond?', 'assistant'],
    ['Could you remind me of the list you gave me?', 'assistant'],
    ['What was your advice on the pond?', 'assistant'],
    ['Can you tell me where I bought the pump?', 'user'],
    ['What is my shoe size?', 'user'],
    ['Which pump is best?', undefined],
  ])('knows the role that is meant: %s', (text, role) => {
    expect(parseQuery(text, ['user', 'assistant']).subject).toBe(role)
  })

  it('offers compounds written together and apart', () => {
    const { compounds } = parseQuery('bookshelf near sea side', [])
    expect(compounds).toContainEqual(['bookshelf', 'book', 'shelf'])
    expect(compounds).toContainEqual(['seasid'])
  })

  it('detects the wanted kind of answer', () => {
    expect(parseQuery('When did the shop open?', [])).toMatchObject({ asksWhen: true, asksCount: false })
    expect(parseQuery('How many shops are there?', [])).toMatchObject({ asksWhen: false, asksCount: true })
  })

  it('stays small for a hostile question', () => {
    expect(termsOf(Array.from({ length: 5000 }, (_, i) => `word${i}`).join(' '))).toHaveLength(64)
    expect(parseQuery('a'.repeat(10_000), []).compounds).toEqual([])
    expect(termsOf('lamp lamp lamp')).toEqual(['lamp'])
  })
})

describe('dates', () => {
  it('reads month, year and day', () => {
    expect(parseQueryDate('on 12 March, 2024')).toEqual({ year: 2024, month: 2, day: 12 })
    expect(parseQueryDate('on March 3rd')).toEqual({ year: undefined, month: 2, day: 3 })
    expect(parseQueryDate('in May 2023')).toEqual({ year: 2023, month: 4, day: undefined })
    expect(parseQueryDate('in 2023')).toEqual({ year: 2023, month: undefined, day: undefined })
    expect(parseQueryDate('may I march?')).toBeUndefined()
  })

  const asked = { year: 2023, month: 4, day: undefined }
  it('fits messages of that month best, those of the next one somewhat', () => {
    expect(dateFit(asked, Date.UTC(2023, 4, 20))).toBe(1)
    expect(dateFit(asked, Date.UTC(2023, 5, 2))).toBe(0.3)
    expect(dateFit(asked, Date.UTC(2023, 8, 2))).toBe(0)
    expect(dateFit(asked, Date.UTC(2022, 4, 20))).toBe(0)
  })

  it('carries December over to the next January', () => {
    expect(dateFit({ year: 2023, month: 11, day: 30 }, Date.UTC(2024, 0, 3))).toBe(0.8)
  })

  it('prefers the week after a named day', () => {
    const day = { year: undefined, month: 4, day: 10 }
    expect(dateFit(day, Date.UTC(2023, 4, 12))).toBe(1.5)
    expect(dateFit(day, Date.UTC(2023, 4, 28))).toBe(1)
  })

  it('fits a year weakly, and spans the named period', () => {
    const year = { year: 2023, month: undefined, day: undefined }
    expect([dateFit(year, Date.UTC(2023, 1)), dateFit(year, Date.UTC(2024, 1))]).toEqual([0.3, 0])
    expect(dateSpan(year, 2020)).toEqual([Date.UTC(2023, 0), Date.UTC(2024, 0)])
    expect(dateSpan({ ...asked, year: undefined }, 2020)).toEqual([Date.UTC(2020, 4), Date.UTC(2020, 6)])
  })
})
