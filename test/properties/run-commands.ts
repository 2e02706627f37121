import fc from 'fast-check'
import { type Run, type Session, type Throughline, ThroughlineError } from '../../src/index.ts'
import type { fixedClock } from '../../src/stores/conformance/samples.ts'

/** Milliseconds of every lease: longer than a test, so that nothing is renewed in between. */
export const LEASE = 3_600_000

/** Sessions and runs of one store, while commands change them. */
export interface World {
  readonly tl: Throughline
  readonly clock: ReturnType<typeof fixedClock>
  readonly sessions: Session[]
  /** Of each session, the oldest first; also those that are over. */
  readonly runs: Map<string, Run[]>
  /** Calls of step functions. */
  steps: number
}

/** One call, made in the same way on every store. */
export interface Command {
  readonly name: string
  /** Returns what is compared between the stores. */
  run(world: World): Promise<unknown>
}

/** A session, or one of its runs: then the call is a write of that run, which may be lost. */
interface Place {
  session: number
  /** Counted from the newest, which is 0; absent for a plain write. */
  run?: number | undefined
}

const place: fc.Arbitrary<Place> = fc.record({
  session: fc.nat(2),
  run: fc.option(fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(3)), { nil: undefined }),
})

export function sessionAt({ sessions }: World, n: number): Session {
  return sessions[n % sessions.length] as Session
}

function handleAt(world: World, { session: n, run }: Place): Session {
  const session = sessionAt(world, n)
  return runAt(world, n, run) ?? session
}

function runAt(world: World, n: number, back: number | undefined): Run | undefined {
  return back === undefined ? undefined : world.runs.get(sessionAt(world, n).id)?.at(-1 - back)
}

/** A call on a session or, as one of its writes, on a run. */
function call(name: string, make: (session: Session) => Promise<unknown>): fc.Arbitrary<Command> {
  return place.map((at) => ({
    name: `${name} ${JSON.stringify(at)}`,
    run: (world) => make(handleAt(world, at)),
  }))
}

/** A call on a run; nothing if the session had none. */
function runCall(name: string, make: (run: Run, world: World) => Promise<unknown>): fc.Arbitrary<Command> {
  return fc.tuple(fc.nat(2), fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(3))).map(([n, back]) => ({
    name: `${name} of run -${back} of ${n}`,
    async run(world) {
      const run = runAt(world, n, back)
      return run && (await make(run, world))
    },
  }))
}

function keep(world: World, run: Run): unknown {
  world.runs.set(run.id, [...(world.runs.get(run.id) ?? []), run])
  return { runId: run.runId, generation: run.generation }
}

const toolCall = (id: string) =>
  ({ type: 'tool_call', content: 'read', parts: { id, name: 'read', arguments: {} } }) as const

/** The calls that change the status, by the party that makes them. */
const lifecycle = [
  call('ask', (s) => s.ask('which?')),
  call('answer', (s) => s.answer('this')),
  call('interrupt', (s) => s.interrupt('wait')),
  call('incorporate', (s) => s.incorporate()),
  call('propose', (s) => s.propose('done')),
  call('continueWith', (s) => s.continueWith('more')),
]

const ends = [call('confirm', (s) => s.confirm()), call('abort', (s) => s.abort('enough')), call('end', (s) => s.end())]

const messages = [
  call('user message', (s) => s.append({ type: 'user_message', content: 'hello' })),
  call('model message', (s) => s.addMessage({ role: 'assistant', content: 'hi' })),
  call('tool call', (s) => s.append(toolCall('c1'))),
  call('tool result', (s) => s.append({ type: 'tool_result', content: 'ok', parts: { toolCallId: 'c1' } })),
  call('state', (s) => s.updateState({ a: 1 })),
  call('clear', (s) => s.clear()),
]

const begin: fc.Arbitrary<Command> = fc
  .record({
    session: fc.nat(2),
    worker: fc.constantFrom('one', 'two'),
    key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined, freq: 3 }),
  })
  .map(({ session, worker, key }) => ({
    name: `run of ${session} by ${worker} with ${key}`,
    async run(world) {
      const options = { worker, ttlMs: LEASE, ...(key !== undefined && { idempotencyKey: key }) }
      return keep(world, await sessionAt(world, session).run(options))
    },
  }))

/** Whether the signal of a run may have fired, at some moment between two commands: its steps are no matter here. */
async function mayBeStopped(run: Run): Promise<boolean> {
  const { run: live, endedAt } = await run.record()
  return endedAt !== undefined || live?.cancelled !== undefined || live?.interruptedAt !== undefined
}

const step = fc.constantFrom('a', 'b').chain((key) =>
  runCall(`step ${key}`, async (run, world) => {
    if (await mayBeStopped(run)) return 'stopped'
    return await run.step(key, () => ++world.steps)
  }),
)

const runs = [
  { weight: 5, arbitrary: begin },
  { weight: 2, arbitrary: step },
  { weight: 3, arbitrary: runCall('finish', (run) => run.finish({ note: 'done' })) },
  { weight: 2, arbitrary: runCall('fail', (run) => run.fail(new Error('no model'))) },
  { weight: 1, arbitrary: call('cancel', (s) => s.cancel({ reason: 'stop' })) },
]

const wake: fc.Arbitrary<Command> = fc
  .record({
    session: fc.nat(2),
    seconds: fc.constantFrom(-1, 2, 60),
    prompt: fc.option(fc.constant('look again'), { nil: undefined }),
    key: fc.option(fc.constant('w'), { nil: undefined }),
  })
  .map(({ session, seconds, prompt, key }) => ({
    name: `wake ${session} in ${seconds} s, ${prompt}, ${key}`,
    run: (world) =>
      sessionAt(world, session).wakeAt(new Date(world.clock.now() + seconds * 1000), {
        ...(prompt !== undefined && { prompt }),
        ...(key !== undefined && { key }),
      }),
  }))

const requests = fc.constantFrom('r1', 'r2').chain((id) =>
  fc.oneof(
    call(`request ${id}`, (s) => s.request({ id, kind: 'approval', question: 'may I?', schema: { type: 'boolean' } })),
    call(`resolve ${id}`, (s) => s.resolve(id, true)),
    call(`resolve ${id} wrongly`, (s) => s.resolve(id, 'yes')),
    call('requests', (s) => s.requests()),
  ),
)

const rewinds = fc.integer({ min: 1, max: 14 }).chain((to) =>
  fc.oneof(
    call(`rewind to ${to}`, (s) => s.rewind({ to, reason: 'another way' })),
    call(`replace ${to}`, (s) => s.replaceMessage(to, { role: 'user', content: 'instead' })),
    call('branches', (s) => s.branches()),
  ),
)

const advance: fc.Arbitrary<Command> = fc.constantFrom(1, 1000, 5000, 70_000, LEASE + 1).map((ms) => ({
  name: `${ms} ms pass`,
  async run({ clock }) {
    clock.advance(ms)
  },
}))

/** Begins a run on every session that needs work. A new one shows the end: it has waited least. */
async function drain(world: World): Promise<unknown> {
  const { tl, clock, sessions } = world
  clock.advance(1)
  const marker = await tl.sessions.create({ userId: 'marker' })
  const claimed: string[] = []
  for (;;) {
    const run = await tl.claim({ worker: 'claimer', ttlMs: LEASE })
    if (run.id === marker.id) break
    claimed.push(run.id)
    keep(world, run)
  }
  await marker.end()
  return sessions.flatMap(({ id }, i) => (claimed.includes(id) ? [`claimed ${i}`] : []))
}

/** Any command. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  ...messages.map((arbitrary) => ({ weight: 2, arbitrary })),
  ...lifecycle.map((arbitrary) => ({ weight: 2, arbitrary })),
  ...ends.map((arbitrary) => ({ weight: 1, arbitrary })),
  ...runs.map(({ weight, arbitrary }) => ({ weight: 2 * weight, arbitrary })),
  { weight: 5, arbitrary: requests },
  { weight: 5, arbitrary: rewinds },
  { weight: 3, arbitrary: wake },
  { weight: 6, arbitrary: advance },
  { weight: 5, arbitrary: fc.constant({ name: 'claim all', run: drain }) },
)

/** Three sessions that no command has touched. */
export async function newWorld(tl: Throughline, clock: World['clock']): Promise<World> {
  const sessions: Session[] = []
  for (let i = 0; i < 3; i++) sessions.push(await tl.sessions.create({ userId: `user ${i}` }))
  return { tl, clock, sessions, runs: new Map(), steps: 0 }
}

/** Runs a command; an error counts as its code. */
export async function outcomeOf(world: World, { run }: Command): Promise<unknown> {
  try {
    return (await run(world)) ?? null
  } catch (error) {
    if (!(error instanceof ThroughlineError)) throw error
    return { code: error.code }
  }
}
