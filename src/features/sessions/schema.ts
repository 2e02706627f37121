import { z } from 'zod'
import type { JsonObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { SESSION_STATES } from '../../domain/record.ts'
import { moment, name, pageSize, text } from '../parse.ts'

/** Any UUID; upper case is taken as lower case. */
export const sessionId = z.guid('must be a UUID').toLowerCase()

const metadata = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)
const task = text(LIMITS.task).min(1)

/** A hundred years. */
const LONGEST = 100 * 366 * 24 * 3600 * 1000

export const createSession = z.strictObject({
  userId: name,
  chatmode: name.default('default'),
  conversationId: name.optional(),
  tenant: name.optional(),
  workflow: name.optional(),
  skill: name.optional(),
  gitBranch: name.optional(),
  task: task.optional(),
  agent: name.optional(),
  metadata: metadata.optional(),
  expiresAt: moment.optional(),
  expiresInMs: z.int().min(1).max(LONGEST).optional(),
  id: sessionId.optional(),
})

export const activeScope = z.strictObject({
  userId: name,
  chatmode: name.default('default'),
  conversationId: name.optional(),
  tenant: name.optional(),
})

export const listSessions = z.strictObject({
  tenant: name.optional(),
  userId: name.optional(),
  status: z.enum(SESSION_STATES).optional(),
  chatmode: name.optional(),
  agent: name.optional(),
  conversationId: name.optional(),
  since: moment.optional(),
  until: moment.optional(),
  limit: pageSize.optional(),
  cursor: z.string().max(1024).optional(),
})

export const forkOptions = z.strictObject({
  at: z.int().optional(),
  id: sessionId.optional(),
  chatmode: name.optional(),
  task: task.optional(),
  metadata: metadata.optional(),
})
