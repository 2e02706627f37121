import type { RequestInput, SessionRequest, WriteOptions } from '../../api.ts'
import { RequestResolvedError, TooLargeError, ValidationError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { SessionView } from '../../domain/fold.ts'
import { type Json, type JsonObject, parseJsonInput } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import type { OpenRequest, RequestOpenedParts, RequestResolvedParts } from '../../domain/request.ts'
import { type Draft, decideOn } from '../kernel/decide.ts'
import type { Deps } from '../kernel/deps.ts'
import { name, parse, writeOptions } from '../kernel/parse.ts'
import { sessionRecord } from '../sessions/operation.ts'
import { findOpened, openedRequest, resolutionPages, resolvedRequest } from './history.ts'
import { requestInput } from './schema.ts'

export { findRequests, requestsOf } from './list.ts'

/** Opens a request. */
export async function openRequest(
  deps: Deps,
  sessionId: string,
  input: RequestInput,
  options: WriteOptions = {},
): Promise<SessionRequest> {
  const { id: chosen, kind, question, toolCallId, schema: given } = parse(requestInput, input)
  const { idempotencyKey } = parse(writeOptions, options)
  // in the event it is nested one level deeper
  const schema = given && parseJsonInput<JsonObject>(given, 'schema', LIMITS.requestSchema, 2)
  if (schema !== undefined) {
    const { requireCheckable } = await import('./check-value.ts')
    requireCheckable(schema)
  }
  const parts: RequestOpenedParts = defined({ id: chosen ?? deps.newId(), kind, schema, toolCallId })
  const draft: Draft = { type: 'request_opened', content: question, parts: parts as unknown as JsonObject }
  const command = ['request', chosen, kind, question, schema, toolCallId]
  const used = new UsedIds(deps)
  for (;;) {
    try {
      const { events } = await decideOn(
        deps,
        sessionId,
        (view) => {
          if (chosen !== undefined) used.requireNew(view, chosen)
          requireRoom(view.requests ?? [], question, parts)
          return [{ ...draft, agentId: view.record.activeAgent }]
        },
        { command, idempotencyKey },
      )
      return openedRequest(events[0] as SessionEvent)
    } catch (error) {
      if (!(error instanceof UncheckedIds)) throw error
      await used.read(error)
    }
  }
}

/** Resolves an open request. Of any number of callers exactly one does. */
export async function resolveRequest(
  deps: Deps,
  sessionId: string,
  requestId: string,
  input: { value: unknown },
  options: WriteOptions = {},
): Promise<SessionRequest> {
  const id = parse(name, requestId, 'id')
  const { idempotencyKey } = parse(writeOptions, options)
  const value = parseJsonInput<Json>(input.value, 'value', LIMITS.requestValue, 2)
  const { checkValue } = await import('./check-value.ts')
  const seen: { request?: OpenRequest | undefined } = {}
  const { events } = await decideOn(
    deps,
    sessionId,
    ({ requests = [] }) => {
      const request = requests.find((one) => one.id === id)
      seen.request = request
      if (request === undefined) return []
      if (request.schema !== undefined) checkValue(request.schema, value)
      const parts: RequestResolvedParts = { id, value }
      return [{ type: 'request_resolved', content: request.kind, parts: parts as unknown as JsonObject }]
    },
    { command: ['resolve', id, value], idempotencyKey },
  )
  const [event] = events
  if (event === undefined) throw await notOpen(deps, sessionId, id)
  // a repeat decides nothing
  const { request = await openedBefore(deps, event, id) } = seen
  return resolvedRequest(request, event)
}

/** The request that an earlier call resolved with this event. */
async function openedBefore(deps: Deps, { sessionId, sequence }: SessionEvent, id: string): Promise<OpenRequest> {
  const record = await sessionRecord(deps, sessionId)
  return (await findOpened(deps, record, [id], sequence)).get(id) as OpenRequest
}

/** Why a request that is not open cannot be resolved. */
async function notOpen(deps: Deps, sessionId: string, id: string): Promise<Error> {
  const record = await sessionRecord(deps, sessionId)
  for await (const page of resolutionPages(deps, record)) {
    if (page.some((event) => idOf(event) === id)) return new RequestResolvedError({ sessionId, requestId: id })
  }
  return new ValidationError('id', 'there is no such request in this session')
}

/** The id of the request that an event resolved. */
function idOf({ parts }: SessionEvent): string {
  return (parts as unknown as RequestResolvedParts).id
}

function requireRoom(open: readonly OpenRequest[], question: string, parts: RequestOpenedParts): void {
  const count = open.length + 1
  if (count > LIMITS.requests) throw new TooLargeError({ field: 'requests', limit: LIMITS.requests, actual: count })
  const size = JSON.stringify([...open, { ...parts, question }]).length
  if (size > LIMITS.openRequests) {
    throw new TooLargeError({ field: 'requests', limit: LIMITS.openRequests, actual: size })
  }
}

/** Thrown by a decision about a view whose resolved requests have not been read. */
class UncheckedIds extends Error {
  readonly view: SessionView

  constructor(view: SessionView) {
    super('the resolved requests have not been read')
    this.view = view
  }
}

/**
 * Refuses an id that a request of the session had. The views hold the open requests; resolved ones are read from the
 * log, and only if there are any.
 */
class UsedIds {
  readonly #deps: Deps
  readonly #resolved = new Set<string>()
  /** Sequence of the last resolution that was read. */
  #readTo = 0
  #mark: string | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  requireNew(view: SessionView, id: string): void {
    const isOpen = view.requests?.some((request) => request.id === id) ?? false
    if (isOpen || this.#resolved.has(id))
      throw new ValidationError('id', 'was used in this session; choose another one')
    if (view.requestsAt !== undefined && this.#mark !== markOf(view)) throw new UncheckedIds(view)
  }

  async read({ view }: UncheckedIds): Promise<void> {
    let readTo = this.#readTo
    for await (const page of resolutionPages(this.#deps, view.record, { after: this.#readTo })) {
      for (const event of page) this.#resolved.add(idOf(event))
      readTo = Math.max(readTo, page[0]?.sequence ?? 0)
    }
    this.#readTo = readTo
    this.#mark = markOf(view)
  }
}

/** Changes whenever a request is opened or resolved. */
function markOf({ requestsAt, requests = [] }: SessionView): string {
  return JSON.stringify([requestsAt, ...requests.map(({ id }) => id)])
}
