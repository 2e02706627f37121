import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { SESSION_STATES } from '../../domain/record.ts'
import { duration, jsonObject, moment, name, pageSize, text, uuid } from '../parse.ts'

const task = text(LIMITS.task).min(1)

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
  metadata: jsonObject.optional(),
  expiresAt: moment.optional(),
  expiresInMs: duration.optional(),
  id: uuid.optional(),
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
  id: uuid.optional(),
  chatmode: name.optional(),
  task: task.optional(),
  metadata: jsonObject.optional(),
})
