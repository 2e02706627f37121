import { z } from 'zod'
import type { Snapshot } from '../../api.ts'
import { ROLES, type SessionEvent } from '../../domain/event.ts'
import type { Window } from '../../domain/window.ts'
import { anyJson, id, type Keys, time } from '../answer.ts'
import { envelopeAnswer } from '../envelope/answer.ts'
import { recordAnswer } from '../sessions/answer.ts'
import { scratchpadAnswer } from '../state/answer.ts'

export const eventAnswer = z
  .strictObject({
    id,
    sessionId: id,
    sequence: z.int().meta({ description: 'Place in the log: 1, 2, 3 … with no gap.' }),
    type: z.string(),
    role: z.enum(ROLES),
    content: z.string(),
    parts: anyJson.optional(),
    agentId: z.string().optional(),
    occurredAt: z.string().meta({ description: 'When it happened, as the caller wrote it.' }).optional(),
    createdAt: time,
  } satisfies Keys<SessionEvent>)
  .meta({ id: 'SessionEvent' })

export const windowAnswer = z
  .strictObject({
    events: z.array(eventAnswer),
    tokens: z.int().optional(),
    dangling: z.array(z.string()),
  } satisfies Keys<Window>)
  .meta({ id: 'Window' })

export const snapshotAnswer = z
  .strictObject({
    sequence: z.int(),
    record: recordAnswer,
    state: scratchpadAnswer,
    envelope: envelopeAnswer,
  } satisfies Keys<Snapshot>)
  .meta({ id: 'Snapshot' })
