import { expect, it, describe as suite } from 'vitest'
import { analyzeText } from './analyze.ts'

suite('describe', () => {
  it('keeps each term with its places, and marks those inside questions', () => {
    const { places, length, asked, asks } = analyzeText('The market opens early. Which market do you mean?')
    expect(places.get('market')).toEqual([4, 13])
    expect({ length, asked, asks }).toEqual({ length: 5, asked: 2, asks: true })
  })

  it('says that a message does not ask when its last sentence states', () => {
    expect(analyzeText('Ready? I am.').asks).toBe(false)
    expect(analyzeText('').asks).toBe(false)
  })

  it('counts specifics: names, numbers, times and past actions', () => {
    const bland = analyzeText('That sounds great, thanks!')
    const telling = analyzeText('Yesterday we visited Lisbon and bought three tiles, called "azul".')
    expect(bland.specifics).toBe(0)
    expect(telling.specifics).toBeGreaterThanOrEqual(5)
    expect(telling).toMatchObject({ times: 1, counts: true })
  })

  it('does not count a person who is only addressed', () => {
    expect(analyzeText('Oh thanks, Anna!').specifics).toBe(0)
  })

  it('caps the places of one term', () => {
    expect(analyzeText('echo '.repeat(1000)).places.get('echo')).toHaveLength(255)
  })
})
