import { z } from 'zod'
import type { SessionScratchpad } from '../../domain/fold.ts'
import { anyObject, type Keys, time } from '../../http/response-schema.ts'

export const scratchpadResponse = z
  .strictObject({
    scratchpad: anyObject,
    version: z.int().meta({ description: 'Changes so far.' }),
    updatedAt: time,
  } satisfies Keys<SessionScratchpad>)
  .meta({ id: 'Scratchpad' })
