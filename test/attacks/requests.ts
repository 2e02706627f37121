import { ROUTES } from '../../src/http/routes.ts'
import type { Person, Target } from './target.ts'

type Route = (typeof ROUTES)[number]

const EVENT = { type: 'user_message', content: 'from outside' }

/** A valid body for each operation that needs one. */
const BODIES: Record<string, unknown> = {
  createSession: { userId: 'ada' },
  forkSession: { metadata: { by: 'an intruder' } },
  appendEvents: [EVENT],
  addMessages: [{ role: 'user', content: 'from outside' }],
  rewindSession: { to: 1 },
  replaceMessage: { sequence: 2, message: { role: 'user', content: 'from outside' } },
  updateState: { secret: null },
  replaceState: {},
  addToState: { key: 'list', value: 'from outside' },
  incrementState: { key: 'count', by: 1 },
  passGate: { gate: 1 },
  handOff: { to: 'motivator', reason: 'from outside' },
  setActiveAgent: { agent: 'motivator' },
  recordTransition: { to: 'motivator', reason: 'from outside' },
  updateEnvelope: { metadata: { secret: null } },
  ask: { question: 'from outside?' },
  answer: { text: 'from outside' },
  interrupt: { text: 'from outside' },
  incorporate: {},
  propose: { summary: 'from outside' },
  confirm: {},
  continueWith: { request: 'from outside' },
  abort: { reason: 'from outside' },
  endSession: {},
  flushStep: { observations: [{ kind: 'note', text: 'from outside' }] },
  compactSession: {},
  reduceContext: { maxTokens: 100 },
  buildContext: { maxTokens: 100 },
  handleMessage: { userId: 'ada', message: 'from outside' },
  resumeConversation: { userId: 'ada' },
  declineSession: { userId: 'ada' },
  remember: { userId: 'ada', content: 'from outside' },
  searchMemoriesLong: { userId: 'ada', query: 'memory' },
  corroborateMemory: { note: 'from outside' },
  contradictMemory: { note: 'from outside' },
  recall: { userId: 'ada', query: 'secret' },
  indexLogs: {},
  verify: {},
  sweepSessions: {},
  rebuild: {},
  exportPage: {},
  importBlocks: { blocks: [{ sessionId: 'ada', events: [], done: true }] },
  backfillEnvelopes: { from: 'sqlite:/nowhere.db' },
  rollbackEnvelopes: { batch: 'none' },
  warmEnvelopes: {},
}

/** One request to a route. */
export interface Request {
  route: Route
  method: string
  path: string
  body?: unknown
}

/** A valid request to a route, with this id in its path. A new route with a body needs an entry above. */
export function requestTo(route: Route, id: string): Request {
  const { method, operation } = route
  const path = `/v1${route.path.replace('{id}', encodeURIComponent(id.toWellFormed())).replace('{sequence}', '2')}`
  if (route.body === undefined) return { route, method, path }
  if (!(operation in BODIES)) throw new Error(`there is no well-formed body for ${operation} yet`)
  return { route, method, path, body: BODIES[operation] }
}

export const sessionRoutes = ROUTES.filter(({ path }) => path.startsWith('/sessions/{id}'))
export const memoryRoutes = ROUTES.filter(({ path }) => path.startsWith('/memories/{id}'))

/** Every route, with ids of that person where the path has one. */
export function everyRequest({ sessions, memories }: Target, person: Person): Request[] {
  const ids: Record<string, string> = { sessions: sessions[person], memories: memories[person], users: person }
  return ROUTES.map((route) => requestTo(route, ids[route.path.split('/')[1] ?? ''] ?? 'a conversation'))
}
