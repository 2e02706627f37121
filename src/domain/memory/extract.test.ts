import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factsOf, type Part, readLabelled, score } from '../../../test/data/memories/labelled.ts'
import { defaultRole, type EventType, type SessionEvent } from '../event.ts'
import type { Json } from '../json.ts'
import { extractFacts } from './extract.ts'
import { MEMORY_CATEGORIES } from './memory.ts'

function log(...entries: [type: EventType, content: string, parts?: Json][]): SessionEvent[] {
  return entries.map(([type, content, parts], i) => ({
    id: `e${i + 1}`,
    sessionId: 's1',
    sequence: i + 1,
    type,
    role: defaultRole(type),
    content,
    ...(parts !== undefined && { parts }),
    createdAt: '2026-03-01T09:00:00.000Z',
  }))
}

const contents = (message: string) => factsOf(message).map(({ content }) => content)
const found = (events: readonly SessionEvent[]) =>
  extractFacts(events).map(({ content, from, to }) => [content, from, to])

describe('a fact', () => {
  it('is what the user said, with its kind, how it came about and where it stands', () => {
    const events = log(['session_started', ''], ['user_message', 'Hey, by the way, I prefer tabs over spaces.'])
    expect(extractFacts(events)).toEqual([
      {
        category: 'preferences',
        content: 'I prefer tabs over spaces',
        sourceType: 'implicit',
        confidence: 0.7,
        from: 2,
        to: 2,
      },
    ])
  })

  it.each([
    ['remember that I prefer tabs', 'preferences', 'explicit', 0.9],
    ['never push to main', 'rules', 'implicit', 0.8],
    ['I live in Oslo', 'facts', 'implicit', 0.7],
    ['I know Rust', 'skills', 'implicit', 0.7],
  ])('from "%s" is of kind %s, %s and believed to %d', (message, category, sourceType, confidence) => {
    expect(factsOf(message)).toMatchObject([{ category, sourceType, confidence }])
  })

  it('comes in log order and once, even if repeated', () => {
    const events = log(
      ['user_message', 'I live in Oslo. I prefer tabs.'],
      ['user_message', 'Never push to main. i live in OSLO!'],
    )
    expect(found(events)).toEqual([
      ['I live in Oslo', 1, 1],
      ['I prefer tabs', 1, 1],
      ['Never push to main', 2, 2],
    ])
  })

  it('counts as said to be remembered if it was once, and then rests on that', () => {
    const events = log(
      ['user_message', 'I live in Oslo. I prefer tabs.'],
      ['user_message', 'Remember that I live in Oslo'],
      ['user_message', 'Remember that I live in Oslo. I live in Oslo.'],
    )
    expect(extractFacts(events)).toMatchObject([
      { content: 'I prefer tabs' },
      { content: 'I live in Oslo', sourceType: 'explicit', from: 2, to: 2 },
    ])
  })

  it('has 400 characters at most', () => {
    const [content = ''] = contents(`I love ${'very '.repeat(150)}long books`)
    expect(content).toMatch(/^I love very .*…$/)
    expect(content.length).toBeLessThanOrEqual(400)
    expect(contents(`I love ${'very '.repeat(300)}long books`)).toEqual([])
  })
})

describe('what the user says', () => {
  it.each([
    ['I am vegan, remember that!', ['I am vegan']],
    ['Could you remember that I take my coffee black?', ['I take my coffee black']],
    ['Remember: the office is closed on Mondays', ['the office is closed on Mondays']],
    ['remember I prefer tabs', ['I prefer tabs']],
    ['Keep in mind that I prefer tabs', ['I prefer tabs']],
    ['Keep in mind that the API is slow', []],
    ['Remember that bug from yesterday', []],
    ['For the record, that was a joke', []],
    ['Remember that', []],
  ])('"%s" is to be remembered: %j', (message, expected) => {
    expect(contents(message)).toEqual(expected)
    for (const { sourceType, confidence } of factsOf(message)) {
      expect([sourceType, confidence]).toEqual(['explicit', 0.9])
    }
  })

  it('is read sentence by sentence, and not further than what it asks for', () => {
    expect(contents('Thanks! I’m vegan 🌱 ... I work nights; I live in St. Gallen, e.g. on weekends. Ok?')).toEqual([
      "I'm vegan",
      'I work nights',
      'I live in St. Gallen, e.g. on weekends',
    ])
    expect(contents('I am vegan, what can I eat?')).toEqual(['I am vegan'])
    expect(contents('Since I am vegan, find a place')).toEqual(['I am vegan'])
    expect(contents('I am new to Go, so explain it slowly')).toEqual(['I am new to Go'])
  })

  it('may be a list that it announces', () => {
    expect(contents('A bit about me:\n- I live in Oslo\n2. I prefer tabs')).toEqual(['I live in Oslo', 'I prefer tabs'])
    expect(contents('Acceptance criteria:\n- I live in Oslo\n2. I prefer tabs')).toEqual([])
  })

  it.each([
    ['a question', 'Do I prefer tabs? I prefer tabs?'],
    ['a quote', '> I prefer tabs'],
    ['code', '```\nI prefer tabs\n```'],
    ['code that is not closed', '```\nI prefer tabs'],
    ['code that is set in', '    I prefer tabs\n\tI prefer spaces'],
    ['a quotation', 'Translate that: "Hello. I prefer tabs. Bye."'],
    ['a quotation in it', 'I prefer “a lot of tabs”'],
    ['a log', '2026-01-01 I prefer tabs\nERROR I prefer tabs\nat run (I prefer tabs)'],
    ['JSON', '{"x": 1, "I prefer": "tabs. I prefer tabs"}'],
    ['a text to work on', 'I live in Oslo. I prefer tabs.\nTranslate the text above.'],
    ['a letter', 'Reply to him: I live in Oslo. I prefer tabs.'],
    ['make-believe', 'Imagine a town. I live in Oslo. I prefer tabs.'],
    ['a joke', 'I live in Oslo, just kidding'],
    ['a line of a log', 'ERROR it broke. I prefer tabs.'],
    ['a condition', 'if I live in Oslo, I prefer tabs'],
    ['a doubt', 'I guess I prefer tabs. I prefer tabs, maybe.'],
    ['reported', 'She said I prefer tabs'],
    ['true today', 'I prefer tabs for now. I work from home today.'],
    ['a greeting', 'Good morning!'],
    ['one word', 'Always'],
    ['a secret', 'Remember that my password is hunter2. Remember that the key is sk-0123456789abcdef.'],
    ['a long key', 'For the record, our id is 0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d'],
  ])('gives nothing where it is %s', (_, message) => {
    expect(contents(message)).toEqual([])
  })

  it('may speak of secrets without giving one away', () => {
    expect(contents('never log passwords or API keys')).toEqual(['never log passwords or API keys'])
  })

  it('is read at both ends where it is long', () => {
    const noise = `${'noise and more noise\n'.repeat(2000)}`
    expect(contents(`I prefer tabs\n${noise}\nI live in Oslo`)).toEqual(['I prefer tabs', 'I live in Oslo'])
    expect(contents(`${noise}I prefer tabs\n${noise}`)).toEqual([])
    // the cut after 10,000 characters goes through the last plant
    const [content = ''] = contents(`${'.'.repeat(9984)}\nI love plants 🌱${noise}`)
    expect([content, content.isWellFormed()]).toEqual(['I love plants \uFFFD', true])
  })
})

describe('who says it', () => {
  it('is the user: assistants and tools give nothing, whatever the type of the event claims', () => {
    const said = 'I prefer tabs. Remember that I live in Oslo.'
    const types = ['model_message', 'tool_result', 'tool_call', 'system_event', 'memory_recall', 'x.note'] as const
    expect(extractFacts(log(...types.map((type): [EventType, string] => [type, said])))).toEqual([])
    expect(extractFacts(log(['user_message', said]).map((event) => ({ ...event, role: 'tool' as const })))).toEqual([])
  })
})

describe('what the log has on record', () => {
  const note = (text: string) => ({ kind: 'note', id: 'n1', text })

  it('is a gate that was passed, if it was noted why', () => {
    const events = log(
      ['validation_gate', 'any text', { gate: 1, noted: false }],
      ['validation_gate', 'Schema reviewed\nby two', { gate: 2 }],
      ['validation_gate', 'Load test', { gate: 3, passed: false }],
      ['validation_gate', ' ', { gate: 4 }],
      ['validation_gate', 'No number'],
    )
    expect(extractFacts(events)).toEqual([
      {
        category: 'context',
        content: 'Gate 2 passed: Schema reviewed by two',
        sourceType: 'implicit',
        confidence: 0.8,
        from: 2,
        to: 2,
      },
    ])
  })

  it('is a decision among the observations of a step', () => {
    const observations = [
      note('Decision: Postgres 16 for the ledger'),
      note('read the docs'),
      note('decision: Postgres 16 for the ledger'),
    ]
    expect(extractFacts(log(['work_committed', '', { observations }]))).toEqual([
      {
        category: 'context',
        content: 'Postgres 16 for the ledger',
        sourceType: 'implicit',
        confidence: 0.8,
        from: 1,
        to: 1,
      },
    ])
    expect(extractFacts(log(['work_committed', '', { observations: [note('Decision: my pin is 1234')] }]))).toEqual([])
  })

  it('is a choice that user and assistant both state, in any order', () => {
    const agreed = [
      ['user_message', 'Which one?'],
      ['model_message', 'Both would do. We decided on Kafka for the queue.'],
      ['tool_result', 'in between'],
      ['model_message', ''],
      ['user_message', "ok, let's go with Kafka"],
    ] as [EventType, string][]
    expect(extractFacts(log(...agreed))).toMatchObject([
      { category: 'context', content: "let's go with Kafka", sourceType: 'implicit', confidence: 0.8, from: 2, to: 5 },
    ])
    const before: [EventType, string][] = [
      ['user_message', "Let's use Redis"],
      ['model_message', "Good. I'll use Redis then."],
    ]
    expect(found(log(...before))).toEqual([["Let's use Redis", 1, 2]])
    expect(extractFacts(log(...before).map((event) => ({ ...event, role: 'tool' as const })))).toEqual([])
  })

  it.each([
    ['only one of them states', "let's use Redis", 'Sure.'],
    ['they see differently', "let's use Redis", "We'll use Kafka."],
    ['they share in part', "let's use Redis streams", "We'll use Redis lists."],
    ['names nothing', "let's do it", "Let's do it."],
    ['the same one states twice', "let's use Redis", "let's use Redis"],
  ])('is no choice that %s', (why, first, second) => {
    const type = why.startsWith('the same') ? 'user_message' : 'model_message'
    expect(extractFacts(log(['user_message', first], [type, second]))).toEqual([])
  })
})

describe('the labelled messages', () => {
  const parts = { tune: readLabelled('tune'), held: readLabelled('held') }

  it('are at least 150 in each part, half of them without anything to remember, and none twice', () => {
    const all = [...parts.tune, ...parts.held]
    expect(new Set(all.map(({ message }) => message.toLowerCase())).size).toBe(all.length)
    for (const rows of Object.values(parts)) {
      expect(rows.length).toBeGreaterThanOrEqual(150)
      expect(rows.filter(({ facts }) => facts.length === 0).length).toBeGreaterThanOrEqual(rows.length / 2)
      const categories = new Set(rows.flatMap(({ facts }) => facts.map(({ category }) => category)))
      expect(categories).toEqual(new Set(MEMORY_CATEGORIES.filter((category) => category !== 'context')))
    }
  })

  // written by the one who wrote the rules: the figures are an upper bound, see README.md there
  it.each<[Part, { precision: number; recall: number; disturbed: number }]>([
    ['tune', { precision: 0.98, recall: 0.98, disturbed: 1 }],
    ['held', { precision: 0.97, recall: 0.94, disturbed: 2 }],
  ])('of part %s are read well enough', (part, floor) => {
    const { all, byCategory, disturbed } = score(parts[part])
    expect(all.precision).toBeGreaterThanOrEqual(floor.precision)
    expect(all.recall).toBeGreaterThanOrEqual(floor.recall)
    expect(disturbed).toBeLessThanOrEqual(floor.disturbed)
    for (const counts of Object.values(byCategory)) {
      expect(counts.precision).toBeGreaterThanOrEqual(0.9)
      expect(counts.recall).toBeGreaterThanOrEqual(0.7)
    }
  })
})

describe('any text', () => {
  const words = `I I'm my we our prefer tabs live in Oslo always never push to main remember that : , . ? ! " ' > \` - \n if don't use`
  const lexicon = [...words.split(' '), '```', '\n', '’', '\u2028', '🌱', '\uFFFC', '\uD83D']
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...lexicon), { maxLength: 40 }).map((all) => all.join(' ')),
  )

  it('is deterministic: unique facts on one line of at most 400 characters', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (messages) => {
        const events = log(...messages.map((message): [EventType, string] => ['user_message', message]))
        const facts = extractFacts(events)
        expect(extractFacts(events)).toEqual(facts)
        expect(new Set(facts.map(({ category, content }) => `${category} ${content.toLowerCase()}`)).size).toBe(
          facts.length,
        )
        for (const { content, from, to } of facts) {
          expect(content).toMatch(/^\S(?:.*\S)?$/)
          expect(content.length).toBeLessThanOrEqual(400)
          expect(from).toBeLessThanOrEqual(to)
        }
      }),
    )
  })
})
