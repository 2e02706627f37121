import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Part, readLabelled, score } from '../../test/data/intents/labelled.ts'
import { classifyByRules, MESSAGE_INTENTS, type MessageIntent, matchRules } from './classify.ts'
import type { SessionStatus } from './record.ts'

const RETRY = 'Add retry logic to the connect function'
const QUESTION =
  "I'll add retry logic. Should I use:\nA) Fixed delay\nB) Exponential backoff\nC) Exponential with jitter"

const running: SessionStatus = { state: 'running' }
const interrupted: SessionStatus = { state: 'interrupted', userMessage: 'use milliseconds' }
const asking = (question = QUESTION): SessionStatus => ({
  state: 'awaiting_user',
  question,
  askedAt: '2026-01-01T00:00:00.000Z',
})
const proposed: SessionStatus = { state: 'pending_complete', summary: 'Exponential backoff with jitter. Tests pass.' }
const complete: SessionStatus = { state: 'complete' }
const aborted: SessionStatus = { state: 'aborted', reason: 'Session expired' }
const ALL = [running, asking(), interrupted, proposed, complete, aborted]

const classify = (message: string, status: SessionStatus, task: string | undefined = RETRY) =>
  classifyByRules({ message, status, task })

describe('the five-turn example', () => {
  it.each<[string, SessionStatus, MessageIntent]>([
    ['Option C, and make max retries configurable', asking(), 'response'],
    ['Looks good but also add logging for retry attempts', proposed, 'modification'],
    ['Perfect, thanks!', proposed, 'confirmation'],
    ["Now let's add connection pooling", proposed, 'new_task'],
    ["Now let's add connection pooling", complete, 'new_task'],
  ])('"%s" in %o is %s', (message, status, intent) => {
    expect(classify(message, status)).toBe(intent)
  })
})

describe('the summary table', () => {
  it('takes an answer to a question as a response', () => {
    for (const answer of ['B', 'yes', 'no', 'the second', 'exponential please', 'whatever is simplest', 'why not A?']) {
      expect(classify(answer, asking()), answer).toBe('response')
    }
  })

  it('takes "change X to Y" mid-task as a modification', () => {
    for (const status of [running, interrupted]) {
      expect(classify('change the delay to 200 ms', status)).toBe('modification')
    }
  })

  it('takes "looks good" and "done" as a confirmation', () => {
    for (const message of ['looks good', 'done']) expect(classify(message, proposed)).toBe('confirmation')
  })

  it('takes "never mind" and "stop" as an abandonment in every live state', () => {
    for (const status of [running, asking(), interrupted, proposed]) {
      for (const message of ['never mind', 'stop', 'cancel this', 'Forget it.', 'can you stop?']) {
        expect(classify(message, status), message).toBe('abandon')
      }
    }
  })

  it('takes "now do something unrelated" as a new task', () => {
    expect(classify('now write a speech for the wedding of my sister', proposed)).toBe('new_task')
    expect(classify('forget that, instead write me a poem about cats', running)).toBe('new_task')
    expect(classify('New task: plan the office party', asking())).toBe('new_task')
  })
})

describe('traps', () => {
  it.each([
    'stop using tabs',
    'stop the server before you test',
    'stop, you are in the wrong file',
    'stop and use the async client',
    'no, the other file',
    'ok but also log the host',
    'never mind the tests, ship it',
    'never mind what I said about the delay',
    'cancel the subscription button should be red',
    'cancel the benchmark, it takes too long',
    'done is better than perfect, keep going',
    'forget about the old API, use v2',
    "don't bother with the docs",
    "we don't need validation",
    'enough with the comments',
    "don't stop until it works",
  ])('"%s" while running changes the task and does not end it', (message) => {
    expect(classify(message, running)).toBe('modification')
  })

  it.each([
    'looks good but the delay is too long',
    'perfect, except the name',
    'thanks, but no',
    'oh great, now it hangs',
    'wow, amazing, nothing compiles',
    'good idea, bad execution',
    'thanks for nothing, it deleted the config',
    'are you done?',
    'not done yet',
    'no',
    'I love the first part. The second works. Remove the third though.',
    'now add tests for it',
    'create a shorter version of the summary',
  ])('"%s" does not confirm what is proposed', (message) => {
    expect(classify(message, proposed)).toBe('modification')
  })

  it('reads "never mind the tests, ship it" as consent only once completion is proposed', () => {
    expect(classify('never mind the tests, ship it', proposed)).toBe('confirmation')
  })

  it('takes thanks as an acknowledgement in every state', () => {
    for (const status of ALL) expect(classify('thanks!', status)).toBe('confirmation')
  })

  it('takes "yes" as an answer when asked, and as an acknowledgement otherwise', () => {
    expect(classify('yes', asking())).toBe('response')
    for (const status of [running, interrupted, proposed]) expect(classify('yes', status)).toBe('confirmation')
  })

  it('takes an option letter as an answer only where something was asked', () => {
    expect(classify('B', asking())).toBe('response')
    for (const status of [running, interrupted, proposed]) expect(classify('B', status)).toBe('unclear')
  })

  it('takes "cancel" as an answer to a question that offers it', () => {
    expect(classify('cancel it', asking('The job hangs. Should I retry it or cancel it?'))).toBe('response')
    expect(classify('cancel it', asking('Which port?'))).toBe('abandon')
  })

  it('keeps an addition apart from an answer', () => {
    expect(classify('also handle the disconnect', asking())).toBe('modification')
    expect(classify('yes, and also handle the disconnect', asking())).toBe('response')
  })

  it('is not sure of praise for a part', () => {
    expect(classify('good so far', proposed)).toBe('unclear')
  })

  it('asks about an unrelated request that comes out of nothing', () => {
    expect(classify('write a bedtime story about a dragon and a knight', running)).toBe('unclear')
  })

  it('knows another task only from its words when the task is not known', () => {
    const none = { message: 'write a haiku about autumn', status: proposed }
    expect(classifyByRules(none)).toBe('modification')
    expect(classifyByRules({ ...none, message: 'new task: write a haiku about autumn' })).toBe('new_task')
  })

  it('reads code as an answer or as part of the work', () => {
    expect(classify('```\nError: ECONNRESET\n```', asking())).toBe('response')
    expect(classify('```\nError: ECONNRESET\n```', running)).toBe('modification')
    expect(classify('`delay * 2` overflows', running)).toBe('modification')
  })
})

describe('what it does not understand', () => {
  it.each([
    'Ja, aber bitte ohne Jitter',
    'oui, la deuxième option',
    'perfecto, muchas gracias',
    'やめてください',
    'توقف من فضلك',
    'отлично, спасибо',
    '그만해',
    'va bene, grazie',
    '',
    ' \n ',
    '...',
    '???',
    'asdfgh',
    'hmm',
    'hello',
    'ok?',
    'wait',
  ])('"%s" is unclear in every state', (message) => {
    for (const status of ALL) expect(classify(message, status)).toBe('unclear')
  })

  it('still reads short replies that English shares with other languages', () => {
    expect(classify('ok', asking())).toBe('response')
    expect(classify('no', asking())).toBe('response')
    expect(classify('ok', proposed)).toBe('confirmation')
  })

  it('does not mistake the name of a place or person for another language', () => {
    expect(classify('Zürich', asking('Which region?'))).toBe('response')
  })
})

describe('an ended session', () => {
  it('starts a task with a request, and nothing with anything else', () => {
    for (const status of [complete, aborted]) {
      expect(classify('fix the login page', status)).toBe('new_task')
      expect(classify('how do I run it?', status)).toBe('new_task')
      expect(classify('looks good', status)).toBe('confirmation')
      expect(classify('stop', status)).toBe('unclear')
    }
  })
})

describe('the labelled messages', () => {
  const parts = { tune: readLabelled('tune'), held: readLabelled('held') }

  it('are at least 400, with every intent in both parts and no message twice', () => {
    const all = [...parts.tune, ...parts.held]
    expect(all.length).toBeGreaterThanOrEqual(400)
    expect(new Set(all.map((row) => `${row.state} ${row.message.toLowerCase()}`)).size).toBe(all.length)
    for (const rows of Object.values(parts)) {
      expect(new Set(rows.map((row) => row.intent))).toEqual(new Set(MESSAGE_INTENTS))
    }
  })

  // a little below what was measured, so that a change for the worse is seen
  it.each<[Part, { accuracy: number; ending: number }]>([
    ['tune', { accuracy: 0.98, ending: 0.98 }],
    ['held', { accuracy: 0.91, ending: 0.95 }],
  ])('of the part to %s are read as a person would', (part, floor) => {
    const { accuracy, precision } = score(parts[part])
    expect(accuracy).toBeGreaterThanOrEqual(floor.accuracy)
    for (const intent of ['abandon', 'confirmation', 'new_task'] as const) {
      expect(precision[intent], intent).toBeGreaterThanOrEqual(floor.ending)
    }
  })
})

describe('any text', () => {
  const status = fc.constantFrom(...ALL)
  const lexicon =
    'stop never mind the tests it yes no ok but also now write a b 3 ? , . ` ``` 👍 nicht forget looks good'
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...lexicon.split(' '))).map((list) => list.join(' ')),
  )

  it('gets one of the six intents and a rule, twice the same', () => {
    fc.assert(
      fc.property(text, status, fc.option(text, { nil: undefined }), (message, status, task) => {
        const judgement = matchRules({ message, status, task })
        expect(MESSAGE_INTENTS).toContain(judgement.intent)
        expect(judgement.rule).not.toBe('')
        expect(matchRules({ message, status, task })).toEqual(judgement)
      }),
      { numRuns: 2000 },
    )
  })

  it('in a language without Latin letters never ends a session', () => {
    const letter = fc.constantFrom(...'абвгджзиклмнопрстあいうえお你好我不要停مرحباקראι')
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 1 }), status, (message, status) => {
        expect(classify(message, status)).toBe('unclear')
      }),
    )
  })

  it.each([
    'a',
    ' ',
    'stop ',
    'never mind ',
    'please ',
    'and then ',
    'next, ',
    'forget the ',
    'stop it now here then please ',
    '`',
    '```',
    '`a\n',
    "'",
    "a'",
    '.',
    'a.',
    '?!',
    '👍',
    '👩‍💻',
    '\u0301',
    '\ud800',
    'is good ',
    'what a ',
    '你',
    // a pattern that backtracks would take hours, and so run into the time limit
  ])('of a megabyte that repeats %j is read to its end', (piece) => {
    const hostile = piece.repeat(Math.ceil(1_000_000 / piece.length))
    for (const status of [running, asking(hostile), { state: 'pending_complete', summary: hostile } as const]) {
      expect(MESSAGE_INTENTS).toContain(classify(hostile, status, hostile))
    }
  })

  it('is read from both ends when it is long', () => {
    const log = 'GET /health 200 in 3 ms\n'.repeat(50_000)
    expect(classify(`${log}\nnever mind`, proposed)).not.toBe('confirmation')
    expect(classify(`looks good\n\`\`\`\n${log}\`\`\`\nthanks!`, proposed)).toBe('confirmation')
  })
})
