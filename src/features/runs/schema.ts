import { z } from 'zod/mini'
import { LIMITS } from '../../domain/limits.ts'
import { moment, name, schema, statement, text, writeOptions } from '../kernel/parse.ts'

/** Milliseconds of a lease. */
const lease = schema(() => z._default(z.int().check(z.minimum(1000), z.maximum(3_600_000)), 30_000))
/** Milliseconds that a call may wait. */
const wait = schema(() => z._default(z.int().check(z.minimum(0), z.maximum(24 * 3_600_000)), 60_000))

export const runInput = schema(() =>
  z.strictObject({
    worker: z.optional(name()),
    ttlMs: lease(),
    onBusy: z._default(z.enum(['reject', 'wait', 'interrupt']), 'reject'),
    waitMs: wait(),
    ...writeOptions().shape,
  }),
)

/** Over HTTP a call waits this long at most, in milliseconds; then the client asks again. */
export const LONGEST_CALL = 25_000

export const runBody = schema(() =>
  z.strictObject({
    ...z.omit(runInput(), { idempotencyKey: true }).shape,
    waitMs: z._default(z.int().check(z.minimum(0), z.maximum(LONGEST_CALL)), LONGEST_CALL),
  }),
)

export const claimInput = schema(() =>
  z.strictObject({
    worker: name(),
    chatmode: z.optional(name()),
    agents: z.optional(z.array(name()).check(z.minLength(1), z.maxLength(LIMITS.claimAgents))),
    ttlMs: lease(),
    signal: z.optional(z.instanceof(AbortSignal)),
  }),
)

export const claimBody = schema(() =>
  z.strictObject({
    ...z.omit(claimInput(), { signal: true }).shape,
    waitMs: z._default(z.int().check(z.minimum(0), z.maximum(LONGEST_CALL)), 0),
  }),
)

export const renewInput = schema(() => z.strictObject({ ttlMs: lease() }))

export const finishInput = schema(() => z.strictObject({ note: z.optional(statement()) }))

export const finishBody = schema(() =>
  z.strictObject({
    outcome: z._default(z.enum(['completed', 'failed']), 'completed'),
    note: z.optional(text(LIMITS.statement)),
  }),
)

export const stepKey = schema(() => name())

export const stepBody = schema(() =>
  z.strictObject({
    key: name(),
    result: z.optional(z.unknown().register(z.globalRegistry, { description: 'Any JSON.' })),
  }),
)

export const stepQuery = schema(() => z.strictObject({ key: name() }))

export const cancelInput = schema(() => z.strictObject({ reason: z.optional(statement()), ...writeOptions().shape }))

export const wakeInput = schema(() =>
  z.strictObject({
    at: moment(),
    prompt: z.optional(statement()),
    key: z.optional(name()),
    ...writeOptions().shape,
  }),
)
