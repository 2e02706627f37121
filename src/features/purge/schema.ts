import { z } from 'zod'
import { name } from '../parse.ts'

export const purgeUserInput = z.strictObject({
  userId: name,
  tenant: name.optional(),
})
