import { z } from 'zod'
import { parse } from '../parse.ts'
import type { Route } from '../route.ts'
import { healthAnswer, rebuildAnswer, verifyAnswer } from './answer.ts'
import { rebuildSessions, verifySessions } from './operation.ts'

const upkeepBody = z.strictObject({
  sessionId: z.string().meta({ description: 'Only this session; all where absent.' }).optional(),
})

export const upkeepRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/health',
    operation: 'health',
    summary: 'That the store answers, and what it says of itself',
    answer: healthAnswer,
    async handle({ deps }) {
      const { schema, details } = await deps.store.health()
      // where the store lies, and as whom it is opened, is nobody's business but the operator's
      const shown = deps.within === undefined ? details : {}
      return { ok: true, store: deps.store.name, ...(schema !== undefined && { schema }), details: shown }
    },
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
