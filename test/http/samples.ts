import { randomUUID } from 'node:crypto'
import type { Route } from '../../src/http/route.ts'
import type { Session, Throughline } from '../../src/index.ts'

/** The response of a route. */
export interface TestResponse {
  status: number
  type: string
  headers: Headers
  text: string
}

/** Method and path of a request. */
export type RouteAddress = Pick<Route, 'method' | 'path'>

/** The parts of a request that differ between routes. */
export interface TestRequest {
  /** Parts of the path by their names. */
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
}

/** The server and store that samples use. */
export interface World {
  readonly tl: Throughline
  /** Sends a request as the operator. */
  send(route: RouteAddress, sent: TestRequest): Promise<TestResponse>
  /** A database of an older system. */
  readonly legacy: string
}

/** A request that its route accepts. */
export interface Sample {
  /** The state its session needs. @default 'live' */
  readonly state?: keyof typeof STATES
  readonly params?: Record<string, string>
  readonly query?: Record<string, string>
  readonly body?: unknown
}

const TURNS = Array.from({ length: 12 }, (_, i) => [
  { type: 'user_message', content: `Question ${i}` } as const,
  { type: 'model_message', content: `Answer ${i}` } as const,
]).flat()

/** Brings a session into each state. */
const STATES = {
  live: async () => {},
  asked: (session: Session) => session.ask('Which one?'),
  interrupted: (session: Session) => session.interrupt('Wait'),
  proposed: (session: Session) => session.propose('It is done'),
  /** With a message, event 2. */
  said: (session: Session) => session.append({ type: 'user_message', content: 'Good evening' }),
  requested: (session: Session) => session.request({ id: 'r', kind: 'approval', question: 'May I?' }),
  ended: (session: Session) => session.end(),
  /** With more turns than a summary keeps. */
  long: (session: Session) => session.append(TURNS),
  /** With a live run, of generation 1. */
  working: (session: Session) => session.run(),
}

const someone = { userId: 'ada' }
const event = { type: 'user_message', content: 'Good morning' }
const message = { role: 'user', content: 'Good morning' }

/** A session of one event, as it is exported. */
const block = {
  sessionId: '4c1d9c9e-6f0b-4c53-9a4e-3f6f3f1d2a11',
  events: [
    {
      sequence: 1,
      id: '4c1d9c9e-6f0b-4c53-9a4e-3f6f3f1d2a12',
      type: 'session_started',
      role: 'system',
      content: 'Session started',
      parts: {
        tenant: 'local',
        ...someone,
        chatmode: 'default',
        conversationId: 'a move',
        agent: 'coach',
        metadata: {},
      },
      createdAt: '2026-01-31T09:30:00.000Z',
    },
  ],
  done: true,
}

/** One for every route, by the name of its operation. */
export const SAMPLES: Record<string, Sample> = {
  about: {},
  createSession: { body: someone },
  listSessions: {},
  activeSession: { query: someone },
  getSession: {},
  forkSession: { body: {} },
  appendEvents: { body: event },
  listEvents: {},
  recentEvents: {},
  followEvents: {},
  snapshotAt: { params: { sequence: '1' } },
  listMessages: {},
  addMessages: { body: message },
  clearMessages: {},
  getState: {},
  updateState: { body: { color: 'green' } },
  replaceState: { body: { color: 'green' } },
  addToState: { body: { key: 'colors', value: 'green' } },
  incrementState: { body: { key: 'count' } },
  passGate: { body: { gate: 1 } },
  handOff: { body: { to: 'motivator', reason: 'It is their turn' } },
  takeHandoff: {},
  setActiveAgent: { body: { agent: 'motivator' } },
  listTransitions: {},
  recordTransition: { body: { to: 'motivator', reason: 'It is their turn' } },
  getEnvelope: {},
  updateEnvelope: { body: { personaId: 'guide' } },
  intakeStatus: {},
  pauseIntake: {},
  resumeIntake: {},
  backfillEnvelopes: { body: { dryRun: true } },
  rollbackEnvelopes: { body: { batch: 'none', dryRun: true } },
  warmEnvelopes: { body: {} },
  cachedEnvelopes: {},
  ask: { body: { question: 'Which one?' } },
  answer: { state: 'asked', body: { text: 'The first' } },
  interrupt: { body: { text: 'Wait' } },
  incorporate: { state: 'interrupted', body: {} },
  propose: { body: { summary: 'It is done' } },
  confirm: { state: 'proposed', body: {} },
  continueWith: { state: 'proposed', body: { request: 'One thing more' } },
  abort: { body: { reason: 'No longer needed' } },
  endSession: { body: {} },
  beginRun: { body: {} },
  listRuns: { state: 'working' },
  renewRun: { state: 'working', params: { generation: '1' }, body: {} },
  followRun: { state: 'working', params: { generation: '1' } },
  finishRun: { state: 'working', params: { generation: '1' }, body: {} },
  findStep: { state: 'working', params: { generation: '1' }, query: { key: 'plan' } },
  recordStep: { state: 'working', params: { generation: '1' }, body: { key: 'plan', result: 'By train' } },
  cancelRun: { state: 'working', body: {} },
  rewindSession: { state: 'said', body: { to: 1 } },
  listBranches: {},
  replaceMessage: { state: 'said', body: { sequence: 2, message } },
  scheduleWake: { body: { at: '2030-01-31T09:30:00.000Z' } },
  claimRun: { body: { worker: 'one' } },
  openRequest: { body: { kind: 'approval', question: 'May I?', schema: { type: 'boolean' } } },
  listRequests: {},
  resolveRequest: { state: 'requested', params: { requestId: 'r' }, body: { value: true } },
  findRequests: {},
  handleMessage: { body: { ...someone, message: 'Write a letter' } },
  resumeConversation: { body: someone },
  declineSession: { body: someone },
  sweepSessions: { body: { sessionIds: [randomUUID()] } },
  flushStep: { body: { observations: [{ kind: 'note', text: 'It is late' }] } },
  readGraph: {},
  readProgress: {},
  compactSession: { state: 'ended', body: {} },
  listCommits: {},
  reduceContext: { state: 'long', body: { maxTokens: 1000, strategy: 'summarize' } },
  buildContext: { body: { maxTokens: 1000 } },
  remember: { body: { ...someone, content: 'Drinks tea' } },
  listMemories: { query: someone },
  forgetSource: { query: { ...someone, source: 'letters' } },
  searchMemories: { query: { ...someone, query: 'tea' } },
  searchMemoriesLong: { body: { ...someone, query: 'tea' } },
  getMemory: {},
  forgetMemory: {},
  memoryHistory: {},
  corroborateMemory: { body: {} },
  contradictMemory: { body: {} },
  extractMemories: {},
  reportUsage: { query: { by: 'day' } },
  recall: { body: { ...someone, query: 'tea' } },
  indexLogs: { body: {} },
  purgeSession: {},
  purgeUser: {},
  health: {},
  verify: { body: {} },
  rebuild: { body: {} },
  exportPage: { body: {} },
  importBlocks: { body: { blocks: [block] } },
}

/** A new session in the state that the sample needs. */
export async function sessionFor({ tl }: World, { state = 'live' }: Sample): Promise<Session> {
  const session = await tl.sessions.create({ ...someone, task: 'A letter' })
  await STATES[state](session)
  return session
}

/** The sample of a route as a request, with its own new session or memory. */
export async function requestFor(world: World, path: string, sample: Sample): Promise<TestRequest> {
  const { params, query, body } = sample
  const from = path === '/envelopes/backfill' && { from: world.legacy }
  const id = path.includes('{id}') ? { id: await subjectOf(world, path, sample) } : {}
  return {
    params: { ...id, ...params },
    ...(query !== undefined && { query }),
    ...(body !== undefined && { body: from ? { ...(body as object), ...from } : body }),
  }
}

async function subjectOf(world: World, path: string, sample: Sample): Promise<string> {
  if (path.startsWith('/sessions/')) return (await sessionFor(world, sample)).id
  if (path.startsWith('/memories/')) return (await createMemory(world)).id
  return randomUUID()
}

/** A new memory with unique content. */
export async function createMemory({ tl }: World, idempotencyKey?: string): Promise<{ id: string }> {
  const input = { ...someone, content: `Has the number ${randomUUID()}`, scope: randomUUID() }
  return await tl.memories.remember(input, idempotencyKey === undefined ? {} : { idempotencyKey })
}
