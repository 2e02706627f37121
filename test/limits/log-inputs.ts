import { randomUUID } from 'node:crypto'
import type { Session } from '../../src/api.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import { DEFAULT_LIMITS } from '../../src/http/admission.ts'
import { isProving } from '../proof.ts'
import { manyModels, OWNER, VISITOR } from './heavy-data.ts'
import {
  distinctKeys,
  forNew,
  forTexts,
  type HeavySessions,
  type LargeInput,
  type LargeInputs,
  nested,
  sessionAfter,
} from './large-input.ts'
import { randomCharacters, randomWords, run } from './texts.ts'

/** What is around a text in a body. */
const AROUND = 1000
const LONGEST = LIMITS.content - AROUND
const STATEMENT = LIMITS.statement

/** Of the routes for sessions, their logs and their views. */
export function logInputs(heavy: HeavySessions): LargeInputs {
  return {
    createSession: [
      {
        name: 'everything',
        body: {
          userId: randomWords(LIMITS.name),
          metadata: { text: randomWords(LIMITS.metadata - AROUND) },
          task: randomWords(LIMITS.task),
        },
      },
    ],
    listSessions: [
      { name: 'wide', query: { userId: OWNER, chatmode: 'wide', limit: '500' } },
      heavy.children('large', { limit: '500' }),
      { name: 'by metadata', query: { userId: OWNER, metadata: JSON.stringify({ kind: 'wide' }), limit: '500' } },
    ],
    reportUsage: ['user', 'tenant', 'day', 'model'].map((by) => ({ name: by, query: { by, limit: '500' } })),
    activeSession: [{ name: 'wide', query: { userId: OWNER, chatmode: 'wide' } }],
    getSession: heavy.each(['large']),
    forkSession: heavy.each(['large'], { body: {} }),
    appendEvents: [
      forNew('longest content', { type: 'tool_result', content: randomCharacters(LONGEST) }),
      forNew('longest text', { type: 'user_message', content: run('é', LONGEST) }),
      forNew('largest parts', { type: 'x.data', parts: { rows: run('{"a":1},', LONGEST / 2) } }),
      forNew('deepest parts', { type: 'x.data', parts: nested(LIMITS.depth - 2) }),
      forNew('widest parts', { type: 'x.data', parts: distinctKeys(LIMITS.members - 10) }),
      forNew(
        'most events',
        Array.from({ length: LIMITS.events }, (_, i) => ({ type: 'user_message', content: randomWords(14_000, i) })),
      ),
      forNew('most usage', manyModels()),
      forNew('most calls', {
        type: 'model_message',
        parts: {
          toolCalls: Array.from({ length: LIMITS.calls }, (_, i) => ({
            id: `${i}`,
            name: 'do',
            arguments: randomWords(7000, i),
          })),
        },
      }),
      { ...forNew('too many keys', { type: 'x.data', parts: distinctKeys(1_500_000) }), refused: 413 },
    ],
    listEvents: [
      ...heavy.each(['large', 'calls', 'texts'], { query: { limit: '500' } }),
      ...heavy.each(['large'], { query: { limit: '500', order: 'desc' } }),
      heavy.on('large', 'by type', { query: { limit: '500', types: 'tool_result' } }),
    ],
    recentEvents: [
      ...heavy.each(['large', 'calls', 'long'], { query: { maxTurns: '500' } }),
      ...heavy.each(['large', 'calls', 'texts'], { query: { maxTokens: '8000' } }),
      ...heavy.each(['large', 'calls', 'texts'], { query: { maxTokens: '1000000' } }),
    ],
    followEvents: [...heavy.each(['long']), heavy.on('large', 'eight that nobody reads', { streams: 8 })],
    snapshotAt: heavy.each(['large', 'work'], { params: { sequence: '3' } }),
    listMessages: [
      ...heavy.each(['large', 'calls']),
      ...heavy.each(['calls', 'long'], { query: { format: 'anthropic' } }).map(mayBeTooLarge),
    ],
    addMessages: forTexts(LONGEST, (content) => ({ role: 'user', content: fitting(content) })),
    clearMessages: heavy.copies(['long']),
    rewindSession: [
      {
        name: 'to the start of a long log',
        prepare: heavy.copyOf('long'),
        body: { to: 2, reason: randomWords(STATEMENT) },
      },
      { name: 'the largest scratchpad', prepare: heavy.copyOf('work'), body: { to: 3 } },
    ],
    replaceMessage: [
      ...forTexts(LONGEST, (content) => ({ sequence: 2, message: { role: 'user', content: fitting(content) } })),
    ].map((input) => ({
      ...input,
      prepare: sessionAfter((session) => session.addMessage({ role: 'user', content: 'hi' })),
    })),
    listBranches: [
      {
        name: 'many rewinds with long reasons',
        prepare: sessionAfter(rewindOften),
        query: { limit: '500' },
      },
    ],
    getState: heavy.each(['work']),
    updateState: [
      forNew('most keys', distinctKeys(LIMITS.members - 10)),
      forNew('longest value', { text: randomWords(LIMITS.scratchpad - AROUND) }),
      { name: 'one key of the largest', prepare: heavy.copyOf('work'), body: { one: 1 } },
    ],
    replaceState: [
      forNew('most keys', distinctKeys(LIMITS.members - 10)),
      forNew('deepest', { deep: nested(LIMITS.depth - 4) }),
    ],
    addToState: [
      forNew(
        'a long list',
        { key: 'list', value: 'last' },
        sessionAfter((session) =>
          session.updateState({ list: Array.from({ length: LIMITS.members - 10 }, (_, i) => `item ${i}`) }),
        ),
      ),
    ],
    incrementState: [{ name: 'the largest scratchpad', prepare: heavy.copyOf('work'), body: { key: 'count' } }],
    passGate: [forNew('longest note', { gate: 1, note: randomWords(STATEMENT) })],
    handOff: [forNew('largest', { to: 'motivator', reason: randomWords(STATEMENT), context: largestContext() })],
    takeHandoff: [
      forNew(
        'largest context',
        undefined,
        sessionAfter((session) => session.handoff({ to: 'motivator', reason: 'now', context: largestContext() })),
      ),
    ],
    setActiveAgent: [forNew('longest name', { agent: run('é', LIMITS.name), reason: randomWords(STATEMENT) })],
    listTransitions: heavy.each(['reasons']),
    recordTransition: [forNew('longest reason', { to: 'motivator', reason: randomWords(STATEMENT) })],
    getEnvelope: heavy.each(['work', 'reasons']),
    updateEnvelope: [forNew('largest metadata', { metadata: { text: randomWords(LIMITS.metadata - AROUND) } })],
    ...requestInputs(),
    intakeStatus: [{ name: 'nothing' }],
    pauseIntake: [{ name: 'nothing' }],
    resumeIntake: [{ name: 'nothing' }],
    ...runInputs(heavy),
    ...conversationInputs(heavy),
  }
}

const beginsRun = sessionAfter((session) => session.run())
const ofRun = { generation: '1' }
const LONGEST_NAME = run('é', LIMITS.name)
/** What is around the result in the parts of a step. */
const RESULT = LIMITS.parts - AROUND

/** Of the routes for runs. */
function runInputs(heavy: HeavySessions): LargeInputs {
  const text = randomWords(STATEMENT)
  /** The longest prompt if each of the most wakes has one. */
  const short = randomWords(STATEMENT / 100)
  const onRun = (name: string, body: unknown, prepare = beginsRun) => ({
    ...forNew(name, body, prepare),
    params: ofRun,
  })
  const step = (name: string, result: unknown) => onRun(name, { key: LONGEST_NAME, result })
  const recorded = sessionAfter(async (session) => {
    await (await session.run()).step('plan', () => randomWords(RESULT))
  })
  return {
    beginRun: [
      forNew('longest name', { worker: LONGEST_NAME }),
      { name: 'after a lost run of a heavy session', prepare: heavy.copyOf('calls'), body: { worker: LONGEST_NAME } },
    ],
    listRuns: [
      {
        name: 'many runs',
        prepare: sessionAfter(async (session) => {
          for (let count = 0; count < 250; count++) {
            await (await session.run({ worker: LONGEST_NAME })).finish({ note: randomWords(10_000, count) })
          }
        }),
      },
    ],
    renewRun: [onRun('longest lease', { ttlMs: 3_600_000 })],
    followRun: [{ name: 'a live run', prepare: beginsRun, params: ofRun }],
    finishRun: [
      onRun('longest note', { note: text }),
      {
        ...onRun('failed with open calls', { outcome: 'failed', note: text }),
        prepare: heavy.copyOf('calls', (session) => session.run()),
      },
    ],
    findStep: [{ name: 'largest result', prepare: recorded, params: ofRun, query: { key: 'plan' } }],
    recordStep: [
      step('longest text', randomWords(RESULT)),
      step('longest text of two bytes', run('é', RESULT)),
      step('deepest', nested(LIMITS.depth - 4)),
      step('widest', distinctKeys(LIMITS.members - 10)),
    ],
    cancelRun: [forNew('longest reason', { reason: text }, beginsRun)],
    scheduleWake: [
      forNew('longest prompt', { at: '2030-01-31T09:30:00Z', prompt: text, key: LONGEST_NAME }),
      forNew(
        'most wakes',
        { at: '2030-01-31T09:30:00Z', prompt: short },
        sessionAfter(async (session) => {
          for (let count = 0; count < 99; count++) await session.wakeAt('2030-01-31T09:30:00Z', { prompt: short })
        }),
      ),
    ],
    claimRun: [
      {
        name: 'most agents',
        body: {
          worker: LONGEST_NAME,
          agents: Array.from({ length: LIMITS.claimAgents }, (_, i) => run('é', LIMITS.name - 4) + i),
        },
      },
      { name: 'any session', body: { worker: LONGEST_NAME } },
    ],
  }
}

/** As many open requests as there can be, the largest that fit together. */
const fullOfRequests = sessionAfter(async (session) => {
  const question = randomWords(Math.floor((LIMITS.openRequests - AROUND * LIMITS.requests) / LIMITS.requests))
  for (let n = 0; n < LIMITS.requests; n++) await session.request({ id: `r${n}`, kind: 'approval', question })
})

/** A session with a request whose schema makes checks expensive. */
const withSchema = (schema: JsonObject) =>
  sessionAfter((session) => session.request({ id: 'r', kind: 'approval', question: 'May I?', schema }))

function many<T>(count: number, of: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => of(n))
}

/** Of the routes for requests. Values are as large as their schemas allow. */
function requestInputs(): LargeInputs {
  const resolve = { params: { requestId: 'r' } }
  const choices = { type: 'array', items: { enum: many(900, (n) => `choice ${n}`) } }
  const branches = { anyOf: many(80, () => ({ type: 'array', items: { type: 'string' } })) }
  const merged = { allOf: many(80, () => ({ type: 'object' })) }
  const addresses = { anyOf: many(80, () => ({ type: 'string', format: 'email' })) }
  return {
    openRequest: [
      forNew('longest', { kind: 'approval', question: randomWords(LIMITS.question) }),
      forNew('largest schema', {
        kind: 'approval',
        question: 'May I?',
        schema: { type: 'object', properties: Object.fromEntries(many(250, (n) => [`p${n}`, { type: 'string' }])) },
      }),
      { name: 'the last one', prepare: fullOfRequests, body: { kind: 'k', question: 'q' }, refused: 413 },
    ],
    listRequests: [{ name: 'full', prepare: fullOfRequests, query: { limit: '500' } }],
    resolveRequest: [
      {
        ...resolve,
        name: 'longest value',
        prepare: withSchema({ type: 'string' }),
        body: { value: randomWords(LIMITS.requestValue - AROUND) },
      },
      {
        ...resolve,
        name: 'choices',
        prepare: withSchema(choices),
        body: { value: many(690, () => 'x') },
        refused: 400,
      },
      {
        ...resolve,
        name: 'branches',
        prepare: withSchema(branches),
        body: { value: many(240, (n) => n) },
        refused: 400,
      },
      { ...resolve, name: 'merged', prepare: withSchema(merged), body: { value: distinctKeys(300) } },
      {
        ...resolve,
        name: 'addresses',
        prepare: withSchema(addresses),
        body: { value: 'a.'.repeat(45_000) },
        refused: 400,
      },
      { name: 'one of many', prepare: fullOfRequests, params: { requestId: 'r7' }, body: { value: true } },
    ],
    findRequests: [
      { name: 'open', query: { userId: VISITOR, limit: '500' } },
      { name: 'resolved', query: { userId: VISITOR, status: 'resolved', limit: '500' } },
    ],
  }
}

/** Leaves many branches with long reasons. */
async function rewindOften(session: Session): Promise<void> {
  await session.updateState({ text: randomWords(LIMITS.scratchpad / 8) })
  for (let n = 0; n < 60; n++) {
    await session.addMessage({ role: 'user', content: 'another way' })
    await session.rewind({ to: 2, reason: randomWords(STATEMENT / 4, n) })
  }
}

/** The start of a text that fits into a body: as JSON, a control character has six bytes. */
function fitting(text: string): string {
  const share = (DEFAULT_LIMITS.body - AROUND) / Buffer.byteLength(JSON.stringify(text))
  return share < 1 ? text.slice(0, Math.floor(text.length * share)) : text
}

/** Messages are converted at once, so more than 16 MiB of them are refused. */
const mayBeTooLarge = (input: LargeInput): LargeInput => ({ ...input, refused: 'maybe' })

/** Of the routes that follow a task through its states. */
function conversationInputs(heavy: HeavySessions): LargeInputs {
  const reason = randomWords(STATEMENT)
  return {
    ask: [forNew('longest', { question: reason })],
    answer: forTexts(
      STATEMENT,
      (text) => ({ text }),
      sessionAfter((session) => session.ask('Which?')),
    ),
    interrupt: [forNew('longest', { text: reason })],
    incorporate: [
      forNew(
        'longest',
        { note: reason },
        sessionAfter((session) => session.interrupt('Wait')),
      ),
    ],
    propose: [forNew('longest', { summary: reason })],
    confirm: heavy.copies(['large', 'texts'], { body: {} }, (session) => session.propose('done')),
    continueWith: [
      forNew(
        'longest',
        { request: reason },
        sessionAfter((session) => session.propose('done')),
      ),
    ],
    abort: heavy.copies(['large'], { body: { reason } }),
    endSession: heavy.copies(['long', 'calls'], { body: {} }),
    handleMessage: forTexts(
      STATEMENT,
      (message) => ({ userId: OWNER, message }),
      async () => randomUUID(),
    ),
    resumeConversation: ['large', 'calls', 'work', ...(isProving ? ['long', 'texts', 'reasons'] : [])].map((name) => ({
      name,
      params: { id: name },
      body: { userId: OWNER },
    })),
    declineSession: [{ name: 'large', params: { id: 'large' }, body: { userId: OWNER } }],
  }
}

function largestContext() {
  return { key_decisions: Array.from({ length: 1000 }, (_, i) => randomWords(500, i)) }
}
