import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { SessionNotFoundError, UnavailableError, ValidationError } from '../domain/errors.ts'
import type { Deps } from '../features/kernel/deps.ts'
import { uuid } from '../features/kernel/parse.ts'
import { depsOfRun } from '../features/runs/operation.ts'
import { stageObservations } from '../features/work/operation.ts'
import { Staging } from '../features/work/staging.ts'
import type { Admission } from './admission.ts'
import { keyIn, runIn } from './headers.ts'
import { isStreamed, jsonPieces, type OnBatch, PIECE } from './json-stream.ts'
import { documented } from './openapi.ts'
import { typedQuery } from './query.ts'
import type { Call, Route } from './route.ts'
import { sseOf, sseOfWork } from './sse.ts'

/** Bytes handed to the socket at once. */
const CHUNK = 64 * 1024

/** What every mounted route shares. */
export interface RouteContext {
  readonly admission: Admission
  /** The error as JSON text for the caller; logs unexpected errors. */
  problemText(error: unknown, request: FastifyRequest): string
  /** Milliseconds after which a reader who reads nothing is cut off. */
  readonly stallTimeoutMs: number
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
  readonly onResponse?: OnResponse
}

/** Sees every response before it is sent. */
export type OnResponse = (route: Route, response: unknown) => void

/** Mounts a route in the framework. */
export function mount(app: FastifyInstance, route: Route, context: RouteContext): void {
  const ofSession = route.path.startsWith('/sessions/{id}')
  const isObject = route.body instanceof z.core.$ZodObject
  app.route({
    method: route.method,
    url: `/v1${route.path.replace(/\{(\w+)\}/g, ':$1')}`,
    schema: documented(route),
    async handler(request, reply) {
      const { visit, caller } = request
      request.handled = true
      let kept = false
      let endWait = () => {}
      try {
        const params = request.params as Record<string, string>
        const id = ofSession ? sessionIdOf(params['id'] ?? '') : (params['id'] ?? '')
        const body = isObject ? objectIn(request.body) : request.body
        await visit.turn()
        const deps = ofSession ? fencedIn(request, id) : caller.deps
        const work = route.work === undefined ? undefined : workIn(deps, route.work, id, body)
        if (route.bulk === true) visit.beginBulk()
        const call: Call = {
          deps: work?.deps ?? deps,
          id,
          params,
          query: typedQuery(route.query, request.query as Record<string, unknown>),
          body: work?.body ?? body,
          key: keyIn(request.headers),
          onProgress: () => {},
          signal: context.stopping,
        }
        if (route.stream === true) {
          // returning it would make the framework wait until the stream ends
          await streamed(route, call, request, reply, context)
          return reply
        }
        if (route.long === true && wantsStream(request)) {
          kept = true
          return worked(route, call, request, reply, context)
        }
        if (route.waits === true) {
          endWait = context.admission.follow(caller)
          visit.leave()
        }
        const signal = route.waits === true ? AbortSignal.any([context.stopping, goneSignal(reply)]) : call.signal
        let response: unknown
        try {
          response = await route.handle({ ...call, signal })
        } catch (error) {
          if (route.waits !== true || !signal.aborted) throw error
          // the client goes on with another server
          if (context.stopping.aborted) throw new UnavailableError('stopping')
          // nobody reads the response
        } finally {
          // before sending: afterwards it is too late for headers
          work?.tell(reply)
        }
        if (!isStreamed(response)) context.onResponse?.(route, response)
        if (response === undefined) return reply.code(204).send()
        kept = await sendJson(reply.code(route.status ?? 200), response as object, context, route, visit.leave)
        return reply
      } finally {
        endWait()
        if (!kept) visit.leave()
      }
    },
  })
}

/** The caller's dependencies; the store as a run uses it if the request is one of a run. */
function fencedIn({ headers, caller: { deps } }: FastifyRequest, id: string): Deps {
  const generation = runIn(headers)
  return generation === undefined ? deps : depsOfRun(deps, id, generation)
}

function sessionIdOf(id: string): string {
  const known = uuid().safeParse(id)
  if (known.success) return known.data
  throw new SessionNotFoundError(id.slice(0, 64))
}

function objectIn(body: unknown): Record<string, unknown> {
  if (body === undefined) return {}
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new ValidationError('body', 'must be a JSON object')
  }
  // the operations would accept it, but one place for the key is enough
  if ('idempotencyKey' in body) throw new ValidationError('idempotencyKey', 'belongs in the header Idempotency-Key')
  return body as Record<string, unknown>
}

/** Stages the request's observations in a buffer of their own, so that they do not mix with other requests. */
function workIn(deps: Deps, kind: 'session' | 'conversation', id: string, given: unknown) {
  const { observations, ...body } = given as Record<string, unknown>
  if (observations === undefined) return { deps: { ...deps, staging: new Staging() }, body, tell() {} }
  const staging = new Staging()
  const bySession = kind === 'session' ? { [id]: observations } : objectIn(observations)
  for (const [sessionId, list] of Object.entries(bySession)) {
    const at = kind === 'session' ? 'observations' : `observations.${sessionId.slice(0, 64)}`
    // the response names it in a header, which does not allow every character
    if (!uuid().safeParse(sessionId).success) throw new ValidationError(at, 'must be keyed by session id')
    stageObservations(staging, deps.newId, sessionId, list, at)
  }
  const came = new Map(staging.sessions().map((sessionId) => [sessionId, staging.waiting(sessionId)]))
  return {
    deps: { ...deps, staging },
    body,
    /** Indexes of those not in the log. */
    tell(reply: FastifyReply) {
      const left = [...came].map(([sessionId, all]) => {
        const waiting = new Set(staging.waiting(sessionId))
        return [sessionId, placesOf(all.flatMap((one, i) => (waiting.has(one) ? [i] : [])))] as const
      })
      void reply.header('throughline-unwritten', JSON.stringify(Object.fromEntries(left)))
    },
  }
}

/** Indexes as short text, since headers are limited: `0-5999,6003`. */
function placesOf(indexes: readonly number[]): string {
  const ranges: [from: number, to: number][] = []
  for (const i of indexes) {
    const last = ranges.at(-1)
    if (last?.[1] === i - 1) last[1] = i
    else ranges.push([i, i])
  }
  return ranges.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(',')
}

function wantsStream({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/event-stream') === true
}

/** Streams events until the caller disconnects. */
async function streamed(route: Route, call: Call, request: FastifyRequest, reply: FastifyReply, context: RouteContext) {
  const done = context.admission.follow(request.caller)
  try {
    const last = request.headers['last-event-id']
    const query = typeof last === 'string' ? { ...call.query, ...typedQuery(route.query, { after: last }) } : call.query
    const signal = AbortSignal.any([context.stopping, goneSignal(reply)])
    const items = (await route.handle({ ...call, query, signal })) as AsyncIterable<unknown>
    const events = sseOf(items, (error) => context.problemText(error, request))
    void sendStream(reply, events, context, done)
  } catch (error) {
    done()
    throw error
  }
}

/** Streams the progress of long work. It continues if the caller disconnects, since it can be repeated safely. */
function worked(route: Route, call: Call, request: FastifyRequest, reply: FastifyReply, context: RouteContext) {
  const { visit } = request
  let begun = false
  let done = () => {}
  const over = () => {
    done()
    visit.leave()
  }
  const work = async (onProgress: Call['onProgress']) => {
    begun = true
    try {
      return await route.handle({ ...call, onProgress })
    } finally {
      over()
    }
  }
  try {
    done = context.admission.follow(request.caller)
  } catch (error) {
    over()
    throw error
  }
  const events = sseOfWork(work, (error) => context.problemText(error, request))
  // the caller disconnected before the stream opened: it never will
  return sendStream(reply, events, context, () => begun || over())
}

function sendStream(reply: FastifyReply, events: AsyncIterable<string>, context: RouteContext, done: () => void) {
  void reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  return sendPieces(reply, events, context, done)
}

/** Sends a response as JSON. Returns whether it is sent as a stream, which calls `done` at its end. */
async function sendJson(
  reply: FastifyReply,
  response: object,
  context: RouteContext,
  route: Route,
  done: () => void,
): Promise<boolean> {
  const onBatch: OnBatch = (key, items) => context.onResponse?.(route, { ...response, [key]: items })
  const pieces = jsonPieces(response, onBatch)
  const begun = [(await pieces.next()).value as string]
  void reply.type('application/json; charset=utf-8')
  if ((begun[0]?.length ?? 0) < PIECE) {
    void reply.send(begun[0])
    return false
  }
  async function* all(): AsyncGenerator<string> {
    // not held here while it is sent
    for (let piece = begun.shift(); piece !== undefined; piece = begun.shift()) yield piece
    yield* pieces
  }
  sendPieces(reply, all(), context, done)
  return true
}

/**
 * Sends text as the caller reads it, holding about one piece. A caller that reads nothing for `stallTimeoutMs` is cut
 * off.
 */
function sendPieces(
  reply: FastifyReply,
  pieces: AsyncIterable<string>,
  { stallTimeoutMs }: RouteContext,
  done: () => void,
) {
  const stream = Readable.from(chunksOf(pieces), { objectMode: false }).once('close', done)
  reply.raw.setTimeout(stallTimeoutMs, () => reply.raw.destroy())
  return reply.send(stream)
}

/** The pieces as bytes, in chunks that the socket's buffer holds. */
async function* chunksOf(pieces: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const iterator = pieces[Symbol.asyncIterator]()
  // in a function of its own, so that the text is not held while its bytes are sent
  const next = async () => {
    const { done, value } = await iterator.next()
    return done === true ? undefined : Buffer.from(value)
  }
  try {
    for (let bytes = await next(); bytes !== undefined; bytes = await next()) {
      for (let start = 0; start < bytes.length; start += CHUNK) yield bytes.subarray(start, start + CHUNK)
    }
  } finally {
    await iterator.return?.()
  }
}

function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}
