import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { SESSION_STATES } from '../../domain/record.ts'
import { isKeyedId } from '../keyed-id.ts'
import { duration, jsonObject, moment, name, pageSize, text, uuid } from '../parse.ts'

const task = text(LIMITS.task).min(1)

// under an id made from a key a stranger could learn whether the key was used, or take its place
const ownId = uuid
  .refine((id) => !isKeyedId(id), 'must not be of version 8: those are made from keys')
  .meta({ description: 'A UUID of your own, of any version but 8.' })

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
  id: ownId.optional(),
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
  id: ownId.optional(),
  chatmode: name.optional(),
  task: task.optional(),
  metadata: jsonObject.optional(),
})
