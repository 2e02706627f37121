import { z } from 'zod'
import type { Branch } from '../../api.ts'
import { type Keys, time } from '../../http/response-schema.ts'

export const branchResponse = z
  .strictObject({
    from: z.int().meta({ description: 'Sequence of the event after which it left the current line.' }),
    to: z.int().meta({ description: 'Sequence of its last event.' }),
    at: time,
    reason: z.string().optional(),
  } satisfies Keys<Branch>)
  .meta({ id: 'Branch' })
