import { z } from 'zod'
import { APPENDABLE_TYPES, RECORDED_TYPES, ROLES } from '../../domain/event.ts'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isoTime, name, pageSize, sequence, text } from '../parse.ts'

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

const appendableType = z
  .string()
  .superRefine((type, context) => {
    const problem = typeProblem(type)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({ description: `${APPENDABLE_TYPES.join(', ')}, or one of your own behind x.` })

export const eventInput = z.strictObject({
  type: appendableType,
  role: z.enum(ROLES).optional(),
  content: text(LIMITS.content).optional(),
  parts: z.custom<Json>().meta({ description: 'Any JSON.' }).optional(),
  agentId: name.optional(),
  occurredAt: isoTime.optional(),
})

export const appendOptions = z.strictObject({
  idempotencyKey: name.optional(),
  expectedSequence: sequence.optional(),
})

export const eventsQuery = z.strictObject({
  after: sequence.optional(),
  before: sequence.optional(),
  limit: pageSize.optional(),
  types: z.array(name).min(1).max(50).optional(),
  order: z.enum(['asc', 'desc']).optional(),
})

export const recentOptions = z.strictObject({
  maxTurns: z.int().min(1).optional(),
  maxTokens: z.int().min(0).optional(),
})

export const tailOptions = z.strictObject({
  after: sequence.optional(),
  signal: z.instanceof(AbortSignal).optional(),
})
