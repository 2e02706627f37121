import { z } from 'zod/mini'
import { DEFAULT_PAGE } from '../../domain/limits.ts'
import { pageSize, schema, sequence, statement, writeOptions } from '../kernel/parse.ts'
import { messageInput } from '../messages/operation.ts'

const target = schema(() => z.int().check(z.minimum(1)))

export const rewindInput = schema(() =>
  z.strictObject({ to: target(), reason: z.optional(statement()), ...writeOptions().shape }),
)

export const replaceInput = schema(() =>
  z.strictObject({ sequence: target(), message: messageInput(), ...writeOptions().shape }),
)

export const branchesQuery = schema(() =>
  z.strictObject({ before: z.optional(sequence()), limit: z._default(pageSize(), DEFAULT_PAGE) }),
)
