import { z } from 'zod/mini'
import { APPENDABLE_TYPES, RECORDED_TYPES, ROLES } from '../../domain/event.ts'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { type Usage, usageProblem } from '../../domain/usage.ts'
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

const tokens = { type: 'integer', minimum: 0, maximum: LIMITS.tokens } as const

/** Tokens and cost of a model call. */
export const usageInput = schema(() =>
  z
    .custom<Usage>()
    .check(
      z.superRefine((value, context) => {
        const [field, message] = usageProblem(value) ?? []
        if (message !== undefined) context.addIssue({ code: 'custom', path: field ? [field] : [], message })
      }),
    )
    // for OpenAPI: a custom schema does not describe itself
    .register(z.globalRegistry, {
      type: 'object',
      description: 'Tokens and cost of the model call. inputTokens includes cached tokens.',
      properties: {
        model: { type: 'string', minLength: 1, maxLength: LIMITS.model },
        inputTokens: tokens,
        outputTokens: tokens,
        cacheReadTokens: tokens,
        cacheWriteTokens: tokens,
        costUsd: { type: 'number', minimum: 0, maximum: LIMITS.cost },
      },
      required: ['model', 'inputTokens', 'outputTokens'],
      additionalProperties: false,
    }),
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
      usage: z.optional(usageInput()),
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
