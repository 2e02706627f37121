import { z } from 'zod'
import type { Snapshot } from '../../api.ts'
import { ROLES, type SessionEvent } from '../../domain/event.ts'
import type { Window } from '../../domain/window.ts'
import { anyJson, id, type Keys, time } from '../../http/response-schema.ts'
import { envelopeResponse } from '../envelope/response.ts'
import { recordResponse } from '../sessions/response.ts'
import { scratchpadResponse } from '../state/response.ts'

export const eventResponse = z
  .strictObject({
    id,
    sessionId: id,
    sequence: z.int().meta({ description: 'Position in the log: 1, 2, 3 … without gaps.' }),
    type: z.string(),
    role: z.enum(ROLES),
    content: z.string(),
    parts: anyJson.optional(),
    agentId: z.string().optional(),
    occurredAt: z.string().meta({ description: 'When it happened, as the caller wrote it.' }).optional(),
    createdAt: time,
  } satisfies Keys<SessionEvent>)
  .meta({ id: 'SessionEvent' })

export const windowResponse = z
  .strictObject({
    events: z.array(eventResponse),
    tokens: z.int().optional(),
    dangling: z.array(z.string()),
    partial: z.literal(true).meta({ description: 'The first turn is not whole.' }).optional(),
  } satisfies Keys<Window>)
  .meta({ id: 'Window' })

export const snapshotResponse = z
  .strictObject({
    sequence: z.int(),
    record: recordResponse,
    state: scratchpadResponse,
    envelope: envelopeResponse,
  } satisfies Keys<Snapshot>)
  .meta({ id: 'Snapshot' })
