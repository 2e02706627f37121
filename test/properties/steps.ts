import fc from 'fast-check'
import { type EventInput, type Json, type JsonObject, type Session, ThroughlineError } from '../../src/index.ts'

const id = fc.constantFrom('1', '2', '3')
const content = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0'))

/** Events of every kind, some of which are refused. */
const event: fc.Arbitrary<EventInput> = fc.oneof(
  fc.record({ type: fc.constantFrom('user_message', 'model_message', 'system_event', 'x.own'), content }),
  fc.record({ type: fc.constant('tool_call'), content, parts: fc.record({ id, name: content, arguments: content }) }),
  fc.record({ type: fc.constant('tool_result'), content: fc.string(), parts: fc.record({ toolCallId: id }) }),
) as fc.Arbitrary<EventInput>

/** One thing to do with a session. */
export type Step =
  | { do: 'append'; events: EventInput[]; key?: string; expected?: number }
  | { do: 'fork'; at: number }
  /** Any other call, some of which are refused. */
  | { do: 'call'; name: string; call(session: Session): Promise<unknown> }

const key = fc.constantFrom('a', 'b', 'blockers', 'validation_gates_passed', 'handoff_context', 'current_task')
const value = fc.oneof(
  fc.constantFrom(null, 1, -0, 'text', ['text'], [1], [1, 2], { a: 1 }, { a: null, b: { c: [] } }),
  fc.jsonValue({ maxDepth: 3 }).filter((json) => !/__proto__|\\u0000/.test(JSON.stringify(json))),
) as fc.Arbitrary<Json>
const object = fc.dictionary(key, value, { noNullPrototype: true }) as fc.Arbitrary<JsonObject>
const agent = fc.constantFrom('assistant', 'planner', 'reviewer', '')
const options = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ idempotencyKey: fc.constantFrom('k1', 'k2', 'k3') }) },
)

function calling(name: string, call: fc.Arbitrary<(session: Session) => Promise<unknown>>): fc.Arbitrary<Step> {
  return call.map((made) => ({ do: 'call' as const, name, call: made }))
}

const path = fc.constantFrom('a.ts', 'b.ts', 'c/ü.ts')
const observation: fc.Arbitrary<(session: Session) => void> = fc.oneof(
  content.map((text) => (s: Session) => s.observe.note(`Decision: ${text}`)),
  path.map((file) => (s: Session) => s.observe.fileRead({ path: file })),
  fc.tuple(path, content).map(
    ([file, text]) =>
      (s: Session) =>
        s.observe.fileWrite({ path: file, content: text }),
  ),
  fc.nat(1).map((exitCode) => (s: Session) => s.observe.command({ command: 'npm test', exitCode })),
  fc.tuple(path, path).map(([a, b]) => (s: Session) => {
    s.observe.relations([{ from: `file:${a}`, label: 'imports', to: `file:${b}` }])
  }),
)

/** Every call that decides. */
const decision: fc.Arbitrary<Step> = fc.oneof(
  calling(
    'clear',
    options.map((o) => (s) => s.clear(o)),
  ),
  calling(
    'end',
    options.map((o) => (s) => s.end(o)),
  ),
  calling(
    'updateState',
    fc.tuple(object, options).map(
      ([patch, o]) =>
        (s) =>
          s.updateState(patch, o),
    ),
  ),
  calling(
    'replaceState',
    fc.tuple(object, options).map(
      ([pad, o]) =>
        (s) =>
          s.replaceState(pad, o),
    ),
  ),
  calling(
    'addToState',
    fc.tuple(key, value, options).map(
      ([k, v, o]) =>
        (s) =>
          s.addToState(k, v, o),
    ),
  ),
  calling(
    'incrementState',
    fc.tuple(key, fc.double(), options).map(
      ([k, n, o]) =>
        (s) =>
          s.incrementState(k, n, o),
    ),
  ),
  calling(
    'passGate',
    fc.tuple(fc.nat(3), options).map(
      ([n, o]) =>
        (s) =>
          s.passGate(n, 'note', o),
    ),
  ),
  calling(
    'handoff',
    fc.tuple(agent, object, options).map(
      ([to, context, o]) =>
        (s) =>
          s.handoff({ to, reason: 'r', context }, o),
    ),
  ),
  calling(
    'request',
    fc.tuple(id, options).map(
      ([of, o]) =>
        (s) =>
          s.request({ id: of, kind: 'k', question: 'q', schema: { type: ['object', 'string'] } }, o),
    ),
  ),
  calling(
    'resolve',
    fc.tuple(id, value, options).map(
      ([of, json, o]) =>
        (s) =>
          s.resolve(of, json, o),
    ),
  ),
  calling(
    'takeHandoff',
    options.map((o) => (s) => s.takeHandoff(o)),
  ),
  calling(
    'setActiveAgent',
    fc.tuple(agent, options).map(
      ([to, o]) =>
        (s) =>
          s.setActiveAgent(to, o),
    ),
  ),
  calling(
    'recordTransition',
    fc.tuple(agent, options).map(
      ([to, o]) =>
        (s) =>
          s.recordTransition({ to, reason: 'r' }, o),
    ),
  ),
  calling(
    'ask',
    fc.tuple(content, options).map(
      ([text, o]) =>
        (s) =>
          s.ask(text, o),
    ),
  ),
  calling(
    'answer',
    fc.tuple(content, options).map(
      ([text, o]) =>
        (s) =>
          s.answer(text, o),
    ),
  ),
  calling(
    'interrupt',
    fc.tuple(content, options).map(
      ([text, o]) =>
        (s) =>
          s.interrupt(text, o),
    ),
  ),
  calling(
    'incorporate',
    options.map((o) => (s) => s.incorporate(undefined, o)),
  ),
  calling(
    'propose',
    fc.tuple(content, options).map(
      ([text, o]) =>
        (s) =>
          s.propose(text, o),
    ),
  ),
  calling(
    'confirm',
    options.map((o) => (s) => s.confirm(o)),
  ),
  calling(
    'continueWith',
    fc.tuple(content, options).map(
      ([text, o]) =>
        (s) =>
          s.continueWith(text, o),
    ),
  ),
  calling(
    'abort',
    fc.tuple(content, options).map(
      ([text, o]) =>
        (s) =>
          s.abort(text, o),
    ),
  ),
  calling(
    'compact',
    options.map((o) => (s) => s.compact(undefined, o)),
  ),
  calling(
    'reduce',
    fc.nat(40).map((maxTokens) => (s) => s.reduce({ maxTokens, strategy: 'summarize' })),
  ),
  calling(
    'observe',
    fc.tuple(observation, fc.boolean(), options).map(([observe, flush, o]) => async (s) => {
      observe(s)
      if (flush) await s.flushStep(o)
    }),
  ),
  calling(
    'updateEnvelope',
    fc.tuple(agent, object, object, options).map(
      ([personaId, metadata, analysis, o]) =>
        (s) =>
          s.updateEnvelope({ personaId, metadata, analysis }, o),
    ),
  ),
  calling(
    'addMessage',
    fc.tuple(content, options).map(
      ([text, o]) =>
        (s) =>
          s.addMessage({ role: 'user', content: text }, o),
    ),
  ),
)

/** Any step. */
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('append' as const), events: fc.array(event, { maxLength: 4 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      events: fc.array(event, { minLength: 1, maxLength: 2 }),
      key: fc.constantFrom('k1', 'k2'),
      expected: fc.nat(8),
    }),
  },
  { weight: 15, arbitrary: decision },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fork' as const), at: fc.nat(10) }) },
)

/** Does one step; what is refused must be refused on purpose. Gives the session to go on with. */
export async function applyStep(session: Session, step: Step): Promise<Session> {
  try {
    if (step.do === 'call') await step.call(session)
    if (step.do === 'fork') return await session.fork({ at: step.at })
    if (step.do === 'append') {
      await session.append(step.events, {
        ...(step.key !== undefined && { idempotencyKey: step.key }),
        ...(step.expected !== undefined && { expectedSequence: step.expected }),
      })
    }
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error
  }
  return session
}
