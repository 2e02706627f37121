import { z } from 'zod'
import type { FoundRequest, SessionRequest } from '../../api.ts'
import { anyJson, anyObject, id, type Keys, pageOf, time } from '../../http/response-schema.ts'

const request = {
  id: z.string(),
  kind: z.string(),
  question: z.string(),
  schema: anyObject.meta({ description: 'JSON Schema of the value that resolves it.' }).optional(),
  toolCallId: z.string().meta({ description: 'The tool call that waits for it.' }).optional(),
  status: z.enum(['open', 'resolved']),
  openedAt: time,
  resolvedAt: time.optional(),
  value: anyJson.optional(),
} satisfies Keys<SessionRequest>

export const requestResponse = z.strictObject(request).meta({ id: 'SessionRequest' })

export const requestsResponse = pageOf(requestResponse)

export const foundRequestsResponse = pageOf(
  z
    .strictObject({ ...request, sessionId: id, userId: z.string() } satisfies Keys<FoundRequest>)
    .meta({ id: 'FoundRequest' }),
)
