import { z } from 'zod'
import { type LiveRun, SESSION_STATES, type SessionRecord } from '../../domain/record.ts'
import { anyObject, id, type Keys, time } from '../../http/response-schema.ts'
import { sessionUsageResponse } from '../usage/response.ts'

export const recordResponse = z
  .strictObject({
    id,
    tenant: z.string(),
    userId: z.string(),
    conversationId: z.string(),
    chatmode: z.string(),
    workflow: z.string().optional(),
    skill: z.string().optional(),
    gitBranch: z.string().optional(),
    task: z.string().optional(),
    status: z.looseObject({ state: z.enum(SESSION_STATES) }),
    activeAgent: z.string(),
    head: z.int().meta({ description: 'Sequence of the last event.' }),
    turns: z.int(),
    startedAt: time,
    lastActivityAt: time,
    endedAt: time.optional(),
    expiresAt: time.optional(),
    metadata: anyObject,
    forkedFrom: z.strictObject({ sessionId: id, sequence: z.int() }).optional(),
    parent: z
      .strictObject({ sessionId: id, sequence: z.int().optional() })
      .meta({ description: 'The session that started this one, and the event that called for it.' })
      .optional(),
    usage: sessionUsageResponse.optional(),
    run: z
      .strictObject({
        id,
        generation: z.int(),
        worker: z.string().optional(),
        startedAt: time,
        cancelled: z.strictObject({ at: time, reason: z.string().optional() }).optional(),
        interruptedAt: time.optional(),
      } satisfies Keys<LiveRun>)
      .meta({ description: 'The run that works on it. Its lease may have expired: then the next run takes over.' })
      .optional(),
  } satisfies Keys<SessionRecord>)
  .meta({ id: 'SessionRecord' })
