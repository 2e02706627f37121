import { z } from 'zod/mini'
import { name } from '../parse.ts'

export const purgeUserInput = z.strictObject({
  userId: name,
  tenant: z.optional(name),
})
