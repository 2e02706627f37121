import { randomUUID } from 'node:crypto'
import type { ErrorCode } from '../../src/domain/errors.ts'
import { LIMITS } from '../../src/domain/limits.ts'
import type { Route } from '../../src/http/route.ts'
import { createMemory, requestFor, SAMPLES, sessionFor, type TestRequest, type World } from './samples.ts'

/** Makes a request that is refused, after other calls that prepare it if needed. */
export type RequestFactory = (world: World, route: Route) => Promise<TestRequest>

const sample = ({ operation }: Route) => SAMPLES[operation] ?? {}
const accepted = (world: World, route: Route) => requestFor(world, route.path, sample(route))
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const at = (id: string, { body, params, query }: TestRequest): TestRequest => ({
  params: { ...params, id },
  ...(query !== undefined && { query }),
  ...(body !== undefined && { body }),
})

/** Requests that provoke a code on most routes. */
export const ERROR_REQUESTS: Partial<Record<ErrorCode, RequestFactory>> = {
  SESSION_NOT_FOUND: async (world, route) => at(randomUUID(), await accepted(world, route)),
  MEMORY_NOT_FOUND: async (world, route) => at(randomUUID(), await accepted(world, route)),
  SESSION_ENDED: ended,
  INVALID_TRANSITION: ended,
  // the key belongs to another call in the same session
  async IDEMPOTENCY_MISMATCH(world, route) {
    const session = await sessionFor(world, { ...sample(route), state: before(route) })
    const key = randomUUID()
    await session.append({ type: 'user_message', content: 'Before' }, { idempotencyKey: key })
    if (sample(route).state === 'ended') await session.end()
    return { ...at(session.id, sample(route)), ...withKey(key) }
  },
  // its session has no live run
  RUN_LOST: async (world, route) => at((await sessionFor(world, {})).id, sample(route)),
  async INTAKE_PAUSED(world, route) {
    const request = await accepted(world, route)
    await world.tl.intake.pause()
    return request
  },
}

const before = (route: Route) => (sample(route).state === 'ended' ? 'live' : (sample(route).state ?? 'live'))

async function ended(world: World, route: Route): Promise<TestRequest> {
  const { state } = sample(route)
  const session = await sessionFor(world, sample(route))
  if (state !== 'ended') await session.end()
  return at(session.id, sample(route))
}

/** A session that has ended by time. */
const expired: RequestFactory = async ({ tl }, route) => {
  const { id } = await tl.sessions.create({ userId: 'ada', expiresAt: '2020-01-01' })
  return at(id, sample(route))
}

/** The second of two calls with one key: the factory sends the first, with another body. */
const twice =
  (first: (world: World, sent: TestRequest, key: string) => Promise<unknown>): RequestFactory =>
  async (world, route) => {
    const request = await accepted(world, route)
    const key = randomUUID()
    await first(world, request, key)
    return { ...request, ...withKey(key) }
  }

/** The key was used with another task. */
async function otherTask(world: World, route: Route): Promise<TestRequest> {
  const { body, ...request } = { ...(await accepted(world, route)), ...withKey(randomUUID()) }
  await world.send(route, { ...request, body: { ...(body as object), task: 'One' } })
  return { ...request, body: { ...(body as object), task: 'Another' } }
}

/** The key was used to remember something of the same user. */
const memoryKey = twice(({ tl }, _sent, idempotencyKey) =>
  tl.memories.remember({ userId: 'ada', content: 'Walks a lot' }, { idempotencyKey }),
)

const missingSession: RequestFactory = async (world, route) => {
  const { body, ...rest } = await accepted(world, route)
  return { ...rest, body: { ...(body as object), sessionId: randomUUID() } }
}

const stale = (events: string): RequestFactory => {
  return async (world, route) => {
    const { body, ...rest } = await accepted(world, route)
    return { ...rest, body: { [events]: [body], expectedSequence: 99 } }
  }
}

/** Its session has a live run. */
const besideRun: RequestFactory = async (world, route) => {
  const request = await accepted(world, route)
  await (await world.tl.sessions.get(idOf(request))).run()
  return request
}

const idOf = ({ params }: TestRequest) => params?.['id'] ?? ''

/** Requests for a single route, by operation and code. */
export const ROUTE_ERROR_REQUESTS: Record<string, RequestFactory> = {
  'appendEvents SEQUENCE_CONFLICT': stale('events'),
  'addMessages SEQUENCE_CONFLICT': stale('messages'),
  'listMessages TOO_LARGE': async ({ tl }) => {
    const session = await tl.sessions.create({ userId: 'ada' })
    for (const length of [LIMITS.content, LIMITS.content, 1]) {
      await session.append({ type: 'user_message', content: 'x'.repeat(length) })
    }
    return { params: { id: session.id }, query: { format: 'openai-chat' } }
  },
  'createSession SESSION_ACTIVE': async ({ tl }) => {
    const { conversationId } = await (await tl.sessions.create({ userId: 'ada' })).record()
    return { body: { userId: 'ada', conversationId } }
  },
  'beginRun RUN_ACTIVE': async (world) => ({
    params: { id: (await sessionFor(world, { state: 'working' })).id },
    body: {},
  }),
  'rewindSession RUN_ACTIVE': besideRun,
  'replaceMessage RUN_ACTIVE': besideRun,
  'rewindSession TOO_LARGE': async (world, route) => ({
    ...(await accepted(world, route)),
    body: { to: 1, reason: 'x'.repeat(LIMITS.statement + 1) },
  }),
  'replaceMessage TOO_LARGE': async (world, route) => ({
    ...(await accepted(world, route)),
    body: { sequence: 2, message: { role: 'user', content: 'x'.repeat(LIMITS.content + 1) } },
  }),
  'resolveRequest REQUEST_RESOLVED': async (world, route) => {
    const request = await accepted(world, route)
    await (await world.tl.sessions.get(idOf(request))).resolve('r', true)
    return request
  },
  'createSession IDEMPOTENCY_MISMATCH': otherTask,
  'forkSession IDEMPOTENCY_MISMATCH': otherTask,
  'handleMessage IDEMPOTENCY_MISMATCH': twice(({ tl }, sent, idempotencyKey) =>
    tl.conversations.handle(idOf(sent), { userId: 'ada', message: 'Write a poem' }, { idempotencyKey }),
  ),
  'declineSession IDEMPOTENCY_MISMATCH': twice(({ tl }, sent, idempotencyKey) =>
    tl.conversations.handle(idOf(sent), { userId: 'ada', message: 'Write a poem' }, { idempotencyKey }),
  ),
  'remember IDEMPOTENCY_MISMATCH': memoryKey,
  'forgetSource IDEMPOTENCY_MISMATCH': memoryKey,
  'forgetMemory IDEMPOTENCY_MISMATCH': memoryKey,
  'corroborateMemory IDEMPOTENCY_MISMATCH': memoryKey,
  'contradictMemory IDEMPOTENCY_MISMATCH': memoryKey,
  // the memory of the first call with the key is forgotten
  'remember MEMORY_NOT_FOUND': async (world, route) => {
    const { body } = await accepted(world, route)
    const input = { ...(body as { userId: string }), content: `Has the number ${randomUUID()}` }
    const idempotencyKey = randomUUID()
    await world.tl.memories.forget((await world.tl.memories.remember(input, { idempotencyKey })).id)
    return { body: input, ...withKey(idempotencyKey) }
  },
  'remember SESSION_NOT_FOUND': async () => {
    return { body: { userId: 'ada', content: 'Drinks tea', source: { sessionId: randomUUID() } } }
  },
  'corroborateMemory SESSION_NOT_FOUND': missingSession,
  'contradictMemory SESSION_NOT_FOUND': missingSession,
  'verify SESSION_NOT_FOUND': missingSession,
  'rebuild SESSION_NOT_FOUND': missingSession,
  'exportPage SESSION_NOT_FOUND': missingSession,
  'compactSession INVALID_TRANSITION': async (world) => ({
    params: { id: (await sessionFor(world, {})).id },
    body: {},
  }),
  'ask SESSION_ENDED': expired,
  'answer SESSION_ENDED': expired,
  'interrupt SESSION_ENDED': expired,
  'incorporate SESSION_ENDED': expired,
  'propose SESSION_ENDED': expired,
  'confirm SESSION_ENDED': expired,
  'continueWith SESSION_ENDED': expired,
  'abort SESSION_ENDED': expired,
}

/** Malformed requests that any route may get. */
export const MALFORMED_REQUESTS: Record<string, { maker: RequestFactory; fits(route: Route): boolean }> = {
  'that is as it should be': { maker: accepted, fits: () => true },
  'for a session that is not there': { maker: ERROR_REQUESTS.SESSION_NOT_FOUND as RequestFactory, fits: isOfSession },
  'for a session that has ended': { maker: ended, fits: isOfSession },
  'for a session that has expired': { maker: expired, fits: isOfSession },
  'with a key that is taken in its session': {
    maker: ERROR_REQUESTS.IDEMPOTENCY_MISMATCH as RequestFactory,
    fits: isOfSession,
  },
  'with a key that is taken for memories': { maker: memoryKey, fits: ({ path }) => path.startsWith('/memories') },
  'for a memory that is not there': {
    maker: ERROR_REQUESTS.MEMORY_NOT_FOUND as RequestFactory,
    fits: ({ path }) => path.startsWith('/memories/{id}'),
  },
  'for a memory that was superseded': {
    maker: async (world, route) => {
      const [old, other] = [await createMemory(world), await createMemory(world)]
      await world.tl.memories.contradict(old.id, { supersededBy: other.id })
      return at(old.id, sample(route))
    },
    fits: ({ path }) => path.startsWith('/memories/{id}'),
  },
  'while the intake is paused': { maker: ERROR_REQUESTS.INTAKE_PAUSED as RequestFactory, fits: () => true },
}

function isOfSession({ path }: Route): boolean {
  return path.startsWith('/sessions/{id}')
}
