import { z } from 'zod/mini'
import type { SweepOptions } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import { uuid } from '../kernel/parse.ts'

const sessionIds = z.optional(
  z
    .array(uuid())
    .check(z.maxLength(LIMITS.page))
    .register(z.globalRegistry, { description: 'Only these sessions, if they are due. Default: all that are due.' }),
)

export const sweepBody = z.strictObject({ sessionIds })

export const sweepOptions = z.strictObject({
  sessionIds,
  onProgress: z.optional(
    z.custom<SweepOptions['onProgress']>((value) => typeof value === 'function', 'must be a function'),
  ),
} satisfies Record<keyof SweepOptions, z.core.$ZodType>)
