import { z } from 'zod/mini'
import { name, pageSize, schema, statement, tenantName, writeOptions } from '../kernel/parse.ts'

export const compactInput = schema(() =>
  z.strictObject({
    summary: z.optional(statement()),
    ...writeOptions().shape,
  }),
)

export const commitsQuery = schema(() =>
  z.strictObject({
    conversationId: name(),
    userId: z.optional(name()),
    tenant: z.optional(tenantName()),
    cursor: z.optional(
      z.pipe(
        z.string().check(z.regex(/^\d{1,9}(\.[\w-]{1,64})?$/, 'must be the nextCursor of an earlier page')),
        z.transform(placeAfter),
      ),
    ),
    limit: z.optional(pageSize()),
  }),
)

/** A cursor names a commit by position and id. A position alone stands for all commits up to it. */
function placeAfter(cursor: string): { position: number; id: string } {
  const [position = '', id] = cursor.split(/\.(.*)/)
  return id === undefined ? { position: Number(position) + 1, id: '' } : { position: Number(position), id }
}
