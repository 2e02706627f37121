import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { clientSchema } from './client-schema.ts'
import { TOOLS } from './tools.ts'

const target = { target: 'draft-2020-12' } as const
const sizeOf = (schema: z.ZodObject | undefined, side: 'input' | 'output') =>
  schema === undefined ? 0 : JSON.stringify(clientSchema(schema)['~standard'].jsonSchema[side](target)).length

describe('clientSchema', () => {
  it('keeps what a model needs and drops the rest', () => {
    const schema = z.object({
      id: z.guid().describe('An id.'),
      count: z.int().min(1),
      pattern: z.string().regex(/^a/).optional(),
      minimum: z.object({ format: z.literal('x') }),
    })
    expect(clientSchema(schema)['~standard'].jsonSchema.output(target)).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string', format: 'uuid', description: 'An id.' },
        count: { type: 'integer', minimum: 1 },
        pattern: { type: 'string', pattern: '^a' },
        minimum: { type: 'object', properties: { format: { type: 'string', const: 'x' } }, required: ['format'] },
      },
      required: ['id', 'count', 'minimum'],
    })
    expect(clientSchema(schema)['~standard'].validate({ id: 'none' })).toHaveProperty('issues')
  })

  it('keeps all tools small enough for every prompt', () => {
    const inputs = TOOLS.reduce((sum, { description, input }) => sum + description.length + sizeOf(input, 'input'), 0)
    const outputs = TOOLS.reduce((sum, { output }) => sum + sizeOf(output, 'output'), 0)
    expect(inputs).toBeLessThan(18_500)
    expect(outputs).toBeLessThan(14_500)
  })
})
