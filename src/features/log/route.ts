import { z } from 'zod/mini'
import { listOf } from '../../http/response-schema.ts'
import type { Route } from '../../http/route.ts'
import { parse } from '../kernel/parse.ts'
import { sessionRecord } from '../sessions/operation.ts'
import { appendEvents, readEvents, recentEvents, snapshotAt } from './operation.ts'
import { eventResponse, snapshotResponse, windowResponse } from './response.ts'
import { appendOptions, eventInput, eventsQuery, recentOptions, tailOptions } from './schema.ts'
import { tailEvents } from './tail.ts'

/** One event, several, or several with the sequence they must follow. */
const appendBody = z.union([
  eventInput(),
  z.array(eventInput()),
  z.strictObject({ events: z.array(eventInput()), ...z.omit(appendOptions(), { idempotencyKey: true }).shape }),
])

/** The keys that {@link appendBody} allows beside the events; the operation checks each event. */
const withCondition = z.partial(z.strictObject({ events: z.unknown(), expectedSequence: z.unknown() }))

export const logRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions/{id}/events',
    operation: 'appendEvents',
    summary: 'Append events to the log, all or none',
    body: appendBody,
    response: listOf(eventResponse),
    status: 201,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'SEQUENCE_CONFLICT', 'IDEMPOTENCY_MISMATCH'],
    async handle({ deps, id, body, key }) {
      const several = typeof body === 'object' && body !== null && 'events' in body
      const { events, ...condition } = several ? parse(withCondition, body) : { events: body }
      return { items: await appendEvents(deps, id, events as never, { ...condition, ...key } as object) }
    },
  },
  {
    method: 'GET',
    path: '/sessions/{id}/events',
    operation: 'listEvents',
    summary: 'Read a page of the log',
    query: eventsQuery(),
    response: listOf(eventResponse),
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, id, query }) => ({ items: await readEvents(deps, id, query) }),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/recent',
    operation: 'recentEvents',
    summary: 'Read the last turns, never a tool result without its call',
    query: recentOptions(),
    response: windowResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id, query }) => recentEvents(deps, id, query),
  },
  {
    method: 'GET',
    path: '/sessions/{id}/stream',
    operation: 'followEvents',
    summary: 'Stream events after `after` or the header Last-Event-ID, then each new one',
    query: z.omit(tailOptions(), { signal: true }),
    response: eventResponse,
    stream: true,
    errors: ['SESSION_NOT_FOUND'],
    async handle({ deps, id, query, signal }) {
      const events = tailEvents(deps, id, { ...query, signal })
      // before the stream opens, or the error would arrive inside it
      await sessionRecord(deps, id)
      return events
    },
  },
  {
    method: 'GET',
    path: '/sessions/{id}/at/{sequence}',
    operation: 'snapshotAt',
    summary: 'Read every view as it was right after an event',
    response: snapshotResponse,
    errors: ['SESSION_NOT_FOUND'],
    // digits only: Number would accept 0x2 and a blank too
    handle: ({ deps, id, params: { sequence = '' } }) =>
      snapshotAt(deps, id, /^\d+$/.test(sequence) ? Number(sequence) : Number.NaN),
  },
]
