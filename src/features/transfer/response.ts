import { z } from 'zod'
import type { ExportedEvent, ExportPlace, SessionBlock } from '../../api.ts'
import { ROLES } from '../../domain/event.ts'
import { anyJson, id, type Keys, time } from '../../http/response-schema.ts'
import type { RefusedBlock, TakenBlock } from './batches.ts'
import type { ExportPage } from './pages.ts'

const eventResponse = z
  .strictObject({
    sequence: z.int(),
    id,
    type: z.string(),
    role: z.enum(ROLES),
    content: z.string(),
    parts: anyJson.optional(),
    agentId: z.string().optional(),
    occurredAt: z.string().optional(),
    createdAt: time,
    checksum: z.string().meta({ description: 'Salted checksum of what was written.' }).optional(),
  } satisfies Keys<ExportedEvent>)
  .meta({ id: 'EventOfBlock' })

const blockResponse = z
  .strictObject({
    sessionId: id,
    events: z.array(eventResponse),
    done: z.boolean().meta({ description: 'These are the last events of the session.' }),
  } satisfies Keys<SessionBlock>)
  .meta({ id: 'Block' })

export const exportResponse = z
  .strictObject({
    blocks: z.array(blockResponse),
    next: z
      .strictObject({ sessionId: id, sequence: z.int(), done: z.boolean() } satisfies Keys<ExportPlace>)
      .meta({ description: 'Pass it as `after` for the next page. Absent on the last page.' })
      .optional(),
    of: z
      .strictObject({ sessions: z.int(), events: z.int() })
      .meta({ description: 'Totals, if requested by `totals`.' })
      .optional(),
  } satisfies Keys<ExportPage>)
  .meta({ id: 'ExportPage' })

const takenResponse = z.strictObject({
  sessionId: id,
  events: z.int().meta({ description: 'Events of the block.' }),
  written: z.int().meta({ description: 'Events that were new here.' }),
  became: z
    .enum(['created', 'extended', 'unchanged'])
    .meta({ description: 'The outcome for the session, once it is complete.' })
    .optional(),
} satisfies Keys<TakenBlock>)

const refusedResponse = z.strictObject({
  sessionId: z.string(),
  code: z.string(),
  message: z.string(),
} satisfies Keys<RefusedBlock>)

export const importResponse = z
  .strictObject({
    outcomes: z
      .array(z.union([takenResponse, refusedResponse]))
      .meta({ description: 'The outcome of each block, in order; one with a `code` was refused.' }),
  })
  .meta({ id: 'ImportOutcomes' })
