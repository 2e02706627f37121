import { z } from 'zod/mini'
import { APPENDABLE_TYPES, RECORDED_TYPES, ROLES } from '../../domain/event.ts'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { compiled, isoTime, name, pageSize, schema, sequence, text } from '../kernel/parse.ts'

const CUSTOM_TYPE = /^x\.[A-Za-z0-9][A-Za-z0-9_.:-]{0,126}$/
const appendable: ReadonlySet<string> = new Set(APPENDABLE_TYPES)

function typeProblem(type: string): string | undefined {
  if (appendable.has(type) || CUSTOM_TYPE.test(type)) return undefined
  if (Object.hasOwn(RECORDED_TYPES, type)) {
    return `'${type}' is reserved: ${RECORDED_TYPES[type as keyof typeof RECORDED_TYPES]} writes it`
  }
  if (type.startsWith('x.')) return 'the name behind x. takes letters, digits and _ . : -, at most 127'
  return `'${type.slice(0, 64)}' is unknown: use ${APPENDABLE_TYPES.join(', ')}, or your own behind 'x.'`
}

const appendableType = schema(() =>
  z
    .string()
    .check(
      z.superRefine((type, context) => {
        const problem = typeProblem(type)
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
      }),
    )
    .register(z.globalRegistry, { description: `${APPENDABLE_TYPES.join(', ')}, or a custom type with the prefix x.` }),
)

export const eventInput = schema(() =>
  compiled(
    z.strictObject({
      type: appendableType(),
      role: z.optional(z.enum(ROLES)),
      content: z.optional(text(LIMITS.content)),
      parts: z.optional(z.custom<Json>().register(z.globalRegistry, { description: 'Any JSON.' })),
      agentId: z.optional(name()),
      occurredAt: z.optional(isoTime()),
    }),
  ),
)

export const appendOptions = schema(() =>
  z.strictObject({
    idempotencyKey: z.optional(name()),
    expectedSequence: z.optional(sequence()),
  }),
)

export const eventsQuery = schema(() =>
  z.strictObject({
    after: z.optional(sequence()),
    before: z.optional(sequence()),
    limit: z.optional(pageSize()),
    types: z.optional(z.array(name()).check(z.minLength(1), z.maxLength(50))),
    order: z.optional(z.enum(['asc', 'desc'])),
  }),
)

export const recentOptions = schema(() =>
  z.strictObject({
    maxTurns: z.optional(z.int().check(z.minimum(1))),
    maxTokens: z.optional(z.int().check(z.minimum(0))),
  }),
)

export const tailOptions = schema(() =>
  z.strictObject({
    after: z.optional(sequence()),
    signal: z.optional(z.instanceof(AbortSignal)),
  }),
)
