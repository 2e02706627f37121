import { z } from 'zod/mini'
import { parse } from '../parse.ts'
import type { Route } from '../route.ts'
import { healthAnswer, rebuildAnswer, verifyAnswer } from './answer.ts'
import { healthOf, rebuildSessions, verifySessions } from './operation.ts'

const upkeepBody = z.strictObject({
  sessionId: z.optional(z.string().register(z.globalRegistry, { description: 'Only this session; all where absent.' })),
})

export const upkeepRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/health',
    operation: 'health',
    summary: 'That the store answers, what it says of itself, and how its cache is',
    answer: healthAnswer,
    handle: ({ deps }) => healthOf(deps),
  },
  {
    method: 'POST',
    path: '/verify',
    operation: 'verify',
    summary: 'Folds logs again and names what differs from the views that are stored; changes nothing',
    body: upkeepBody,
    answer: verifyAnswer,
    long: true,
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, body = {}, onProgress }) =>
      await verifySessions(deps, parse(upkeepBody, body).sessionId, { onProgress }),
  },
  {
    method: 'POST',
    path: '/rebuild',
    operation: 'rebuild',
    summary: 'Writes views anew from the log where they differ from it',
    body: upkeepBody,
    answer: rebuildAnswer,
    long: true,
    errors: ['SESSION_NOT_FOUND'],
    handle: async ({ deps, body = {}, onProgress }) =>
      await rebuildSessions(deps, parse(upkeepBody, body).sessionId, { onProgress }),
  },
]
