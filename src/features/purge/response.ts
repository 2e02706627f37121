import { z } from 'zod'
import type { PurgeReceipt } from '../../api.ts'
import { type Keys, time } from '../../http/response-schema.ts'

export const receiptResponse = z
  .strictObject({
    sessions: z.int(),
    events: z.int(),
    keys: z.int().meta({ description: 'Idempotency keys.' }),
    memories: z.int().meta({ description: 'Memories that nothing else supports.' }),
    purgedAt: time,
    pending: z
      .boolean()
      .meta({ description: 'True while older copies remain in the write-ahead log of SQLite. A sweep removes them.' })
      .optional(),
  } satisfies Keys<PurgeReceipt>)
  .meta({ id: 'PurgeReceipt' })
