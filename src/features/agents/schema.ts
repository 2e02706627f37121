import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { name, text, writeOptions } from '../parse.ts'

const reason = text(LIMITS.content).min(1)

export const switchInput = z.strictObject({
  agent: name,
  reason: reason.optional(),
  from: name.optional(),
  ...writeOptions.shape,
})

export const transitionInput = z.strictObject({ to: name, reason })

/** The operation checks it: it knows how deep it may be. */
const context = z.unknown().meta({ type: 'object', description: 'What the next agent has to know.' })

export const handoffInput = z.strictObject({ to: name, reason, context: context.optional() })
