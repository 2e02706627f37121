import fc from 'fast-check'
import { expect, it, describe as suite } from 'vitest'
import { analyzeText } from './analyze.ts'
import { lookupTerms, MAX_POSTINGS, planLookups } from './lookup-plan.ts'
import { passagesOf } from './passages.ts'
import { parseQuery } from './query.ts'
import { type MessageFacts, rank, scoreWords, selectCandidates } from './rank.ts'
import type { Posting } from './term-matches.ts'
import { hyponymsOf, synonymsOf } from './thesaurus.ts'
import { LONG, LONG_MESSAGE_TERMS, PEER, type Weights, weightsFor } from './weights.ts'

type Line = readonly [session: string, speaker: string, text: string, time?: number]

function index(lines: readonly Line[]) {
  const postings = new Map<string, Posting[]>()
  const facts: MessageFacts[] = []
  let terms = 0
  let longMessages = 0
  for (const [session, speaker, text, time = 0] of lines) {
    const { places, asks, ...about } = analyzeText(text)
    const turn = facts.filter((fact) => fact.session === session).length + 1
    facts.push({ session, turn, sequence: turn * 10, speaker, time, ...about })
    terms += about.length
    if (about.length > LONG_MESSAGE_TERMS) longMessages += 1
    for (const [term, at] of places) {
      const posting = { session, turn, length: about.length, asks, places: at }
      postings.set(term, [...(postings.get(term) ?? []), posting])
    }
  }
  return { postings, facts, stats: { messages: facts.length, terms, longMessages } }
}

function ask(lines: readonly Line[], text: string, weights: Weights = PEER): string[] {
  const { postings, facts, stats } = index(lines)
  const question = parseQuery(text, [...new Set(lines.map(([, speaker]) => speaker))])
  const df = new Map(lookupTerms(question).map((term) => [term, postings.get(term)?.length ?? 0]))
  const scores = scoreWords(planLookups(question, df, stats, weights), postings, stats, weights)
  const wanted = selectCandidates(scores, weights)
  const chosen = facts.filter(
    ({ session, turn }) =>
      question.date !== undefined ||
      wanted.sessions.includes(session) ||
      wanted.places.some((place) => place.session === session && place.turn === turn),
  )
  return rank(question, scores, chosen, weights).map(({ session, turn }) => `${session}/${turn}`)
}

const chat: Line[] = [
  ['a', 'Nora', 'Good evening! How was the allotment?'],
  ['a', 'Otto', 'Muddy, but I planted leeks along the fence.'],
  ['a', 'Nora', 'What will you cook with them?'],
  ['a', 'Otto', 'A thick soup, as my grandmother did in Ghent.'],
  ['b', 'Otto', 'The tram was late again this morning.'],
  ['b', 'Nora', 'Mine too. I read half a thriller on platform nine.'],
  ['b', 'Otto', 'I should carry a book as well.'],
]

const pause = (session: string): Line => [session, 'Nora', 'Hm.']

suite('recall', () => {
  it('finds the message that says it', () => {
    expect(ask(chat, 'Where were the leeks planted?')[0]).toBe('a/2')
  })

  it('prefers an answer to a question with the same word', () => {
    expect(ask(chat, 'What does Otto cook?')[0]).toBe('a/4')
  })

  it('prefers the named speaker but also finds the other one', () => {
    const both: Line[] = [
      ['a', 'Nora', 'I bought a kayak.'],
      ['b', 'Otto', 'I bought a kayak.'],
    ]
    expect(ask(both, 'Which kayak did Otto buy?')[0]).toBe('b/1')
    expect(ask(both, 'Which kayak did Nora buy?')[0]).toBe('a/1')
    expect(ask(chat, 'What did Otto read on the platform?')[0]).toBe('b/2')
  })

  it('knows kinds of things and other words for them', () => {
    const home: Line[] = [['a', 'Nora', 'Our cello needs new strings.'], ...chat]
    expect(ask(home, 'Which instrument does Nora have?')[0]).toBe('a/1')
    expect(hyponymsOf.get('instrument')).toContain('cello')
    expect(synonymsOf.get('shop')).toContain('store')
  })

  it('finds a compound however it is written', () => {
    const trip: Line[] = [['a', 'Nora', 'The book shelf is oak.'], ['c', 'Otto', 'My lunchbox leaks.'], ...chat]
    expect(ask(trip, 'bookshelf')[0]).toBe('a/1')
    expect(ask(trip, 'lunch box')[0]).toBe('c/1')
  })

  it('puts words side by side before the same words apart', () => {
    const order: Line[] = [
      ['a', 'Nora', 'The red paint and the old barn door.'],
      ['b', 'Nora', 'The red door and the old barn paint.'],
    ]
    expect(ask(order, 'red paint')[0]).toBe('a/1')
    expect(ask(order, 'red door')[0]).toBe('b/1')
  })

  it('goes by the date when no word helps', () => {
    const dated: Line[] = [
      ['a', 'Nora', 'Nothing much.', Date.UTC(2024, 1, 3)],
      ['b', 'Nora', 'We climbed the tower.', Date.UTC(2024, 6, 3)],
    ]
    expect(ask(dated, 'What happened in July 2024?')[0]).toBe('b/1')
  })

  it('prefers messages with times for when, and with numbers for how many', () => {
    const facts: Line[] = [
      ['a', 'Nora', 'The kayak leaks badly.'],
      ['b', 'Nora', 'The kayak leaks since yesterday.'],
      ['c', 'Nora', 'The kayak leaks in 4 places.'],
    ]
    expect(ask(facts, 'When did the kayak leak?')[0]).toBe('b/1')
    expect(ask(facts, 'How many kayak leaks?')[0]).toBe('c/1')
  })

  it('finds nothing without a match or in an empty index', () => {
    expect(ask(chat, 'xylophone zeppelin')).toEqual([])
    expect(ask([], 'leeks')).toEqual([])
    expect(ask(chat, '')).toEqual([])
  })

  it('puts the later of equal messages first', () => {
    const same: Line[] = [1, 2, 3].flatMap((n): Line[] => [
      ['a', 'Nora', 'A kayak.', n],
      ['b', 'Nora', 'A kayak.', 2],
    ])
    const apart: Line[] = same.flatMap((line): Line[] => [line, ...Array.from({ length: 9 }, () => pause(line[0]))])
    const found = ask(apart, 'kayak', { ...PEER, echo: 0 }).slice(0, 6)
    expect(found).toEqual(['a/21', 'b/21', 'b/11', 'b/1', 'a/11', 'a/1'])
  })

  it('returns every message once for any query', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), fc.constantFrom(PEER, LONG), (text, weights) => {
        const found = ask(chat, text, weights)
        expect(new Set(found).size).toBe(found.length)
      }),
    )
  })

  it('returns the same list for any order of sessions in the postings', () => {
    const same: Line[] = ['a', 'b', 'c', 'd'].map((session) => [session, 'Nora', 'A kayak.'])
    expect(ask(same.toReversed(), 'kayak')).toEqual(ask(same, 'kayak'))
  })
})

const filler = 'It helps to plan ahead and to keep some notes for later. '
suite('long messages', () => {
  const long = (fact: string, at: number) => filler.repeat(at) + fact + filler.repeat(20 - at)
  const answers: Line[] = [
    ['a', 'user', 'How do I seal a kayak?'],
    ['a', 'assistant', long('Seal the kayak hull with resin. ', 12)],
    ['b', 'user', 'And a hull of steel?'],
    ['b', 'assistant', long('A hull of steel rusts. ', 2) + long('The kayak is another matter, and resin too. ', 18)],
  ]

  it('choose their own profile, short ones the other', () => {
    expect(weightsFor(index(answers).stats)).toBe(LONG)
    expect(weightsFor(index(chat).stats)).toBe(PEER)
  })

  it("rank below the user's messages, unless the query asks about the assistant", () => {
    const told: Line[] = [
      ['a', 'user', 'By the way, I bought a kayak of cedar.'],
      ['a', 'assistant', long('A kayak of cedar is light. ', 9)],
      ...answers,
    ]
    expect(ask(told, 'Which kayak did I buy?', LONG)[0]).toBe('a/1')
    expect(ask(told, 'What did you say of the cedar kayak?', LONG)[0]).toBe('a/2')
  })

  it('count by their best passage', () => {
    expect(ask(answers, 'kayak hull resin', LONG)[0]).toBe('a/2')
  })

  it('are cut into passages of 40 words, 25 apart', () => {
    expect([1, 25, 26, 40, 41, 65, 66].map(passagesOf)).toEqual([
      [0, 0],
      [0, 0],
      [0, 1],
      [0, 1],
      [1, 1],
      [1, 2],
      [2, 2],
    ])
  })
})

suite('planLookups', () => {
  const stats = { messages: 1_000_000, terms: 13_000_000, longMessages: 0 }
  const plan = (text: string, df: Record<string, number>) =>
    planLookups(parseQuery(text, []), new Map(Object.entries(df)), stats, PEER).groups.flatMap(({ members }) => [
      ...members.keys(),
    ])

  it('leaves common terms out when rarer ones spend the budget', () => {
    expect(plan('kayak water', { kayak: 300, water: MAX_POSTINGS })).toEqual(['kayak'])
  })

  it('reads the rarest term however common it is', () => {
    expect(plan('water light', { water: 400_000, light: 500_000 })).toEqual(['water'])
  })

  it('drops words related to a term before the term itself', () => {
    expect(plan('instrument', { instrument: 10, guitar: MAX_POSTINGS - 5, cello: 3 })).toEqual(['instrument', 'cello'])
  })

  it('uses related words alone if no message has the term', () => {
    expect(plan('instrument', { cello: 3 })).toEqual(['cello'])
  })
})
