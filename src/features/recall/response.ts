import { z } from 'zod'
import type { IndexReport, RecallItem, RecallResult } from '../../api.ts'
import { ROLES } from '../../domain/event.ts'
import { SOURCE_TYPES } from '../../domain/memory/source-type.ts'
import { RECALL_KINDS } from '../../domain/recall/recall-kind.ts'
import { id, type Keys } from '../../http/response-schema.ts'

export const recallItemResponse = z
  .strictObject({
    kind: z.enum(RECALL_KINDS),
    id: id.meta({ description: 'Id of the event, commit or memory.' }),
    sessionId: z.string().optional(),
    sequence: z.int().optional(),
    content: z.string(),
    score: z.number().meta({ description: 'Greater is better, across kinds.' }),
    at: z.string().meta({ description: 'When it was written.' }),
    role: z.enum(ROLES).optional(),
    agentId: z.string().optional(),
    sourceType: z.enum(SOURCE_TYPES).optional(),
  } satisfies Keys<RecallItem>)
  .meta({ id: 'RecallItem' })

export const recallResponse = z
  .strictObject({
    items: z.array(recallItemResponse),
    tokens: z.int().meta({ description: 'Tokens of all contents.' }),
    pending: z.int().meta({ description: 'Sessions whose latest events were not looked at yet.' }).optional(),
  } satisfies Keys<RecallResult>)
  .meta({ id: 'RecallResult' })

export const indexResponse = z
  .strictObject({
    sessions: z.int(),
    messages: z.int().meta({ description: 'Messages indexed.' }),
  } satisfies Keys<IndexReport>)
  .meta({ id: 'IndexReport' })
