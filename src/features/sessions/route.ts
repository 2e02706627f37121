import { z } from 'zod/mini'
import { pageOf } from '../../http/response-schema.ts'
import type { Route } from '../../http/route.ts'
import { parse } from '../kernel/parse.ts'
import { creationId, forkId } from './keyed.ts'
import { findActive, findSessions, forkSession, getOrStartSession, sessionRecord, startSession } from './operation.ts'
import { recordResponse } from './response.ts'
import { activeScope, createSession, forkOptions, listSessions } from './schema.ts'

const createQuery = z.strictObject({
  getOrCreate: z.optional(
    z.boolean().register(z.globalRegistry, { description: 'Return the live session of the scope, if there is one.' }),
  ),
})

export const sessionsRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/sessions',
    operation: 'createSession',
    summary: 'Start a session or, with `getOrCreate`, return the live one of its scope',
    query: createQuery,
    body: createSession(),
    response: recordResponse,
    status: 201,
    errors: ['SESSION_ACTIVE', 'INTAKE_PAUSED', 'IDEMPOTENCY_MISMATCH'],
    async handle({ deps, query, body, key }) {
      const start = parse(createQuery, query).getOrCreate ? getOrStartSession : startSession
      return await sessionRecord(deps, await start(deps, body as never, await creationId(deps, body, key)))
    },
  },
  {
    method: 'GET',
    path: '/sessions',
    operation: 'listSessions',
    summary: 'List sessions, newest activity first',
    query: listSessions(),
    response: pageOf(recordResponse),
    handle: ({ deps, query }) => findSessions(deps, query),
  },
  {
    method: 'GET',
    path: '/sessions/active',
    operation: 'activeSession',
    summary: 'Find the newest live session of a scope',
    query: activeScope(),
    response: recordResponse,
    mayBeEmpty: true,
    async handle({ deps, query }) {
      const id = await findActive(deps, query as never)
      return id === undefined ? undefined : await sessionRecord(deps, id)
    },
  },
  {
    method: 'GET',
    path: '/sessions/{id}',
    operation: 'getSession',
    summary: 'Read the record of a session',
    response: recordResponse,
    errors: ['SESSION_NOT_FOUND'],
    handle: ({ deps, id }) => sessionRecord(deps, id),
  },
  {
    method: 'POST',
    path: '/sessions/{id}/fork',
    operation: 'forkSession',
    summary: "Start a session with a copy of this one's events, up to a sequence",
    body: forkOptions(),
    response: recordResponse,
    status: 201,
    errors: ['SESSION_NOT_FOUND', 'INTAKE_PAUSED', 'IDEMPOTENCY_MISMATCH'],
    handle: async ({ deps, id, body, key }) =>
      await sessionRecord(deps, await forkSession(deps, id, body, await forkId(deps, id, key))),
  },
]
