import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { jsonObject, moment, name, text } from '../parse.ts'

const word = (description: string) => z.string().meta({ description }).optional()
const time = (description: string) => z.iso.datetime({ offset: true }).meta({ description }).optional()

/**
 * The canonical document, as it is cached and published. Others may have put more into it: what is not named here is kept.
 * `schemas/session-envelope.json` is made from this.
 */
export const envelopeSchema = z
  .looseObject({
    session_id: z.guid().meta({ description: 'Id of the session.' }),
    persona_id: word('Persona that guides the conversation; empty when unset.'),
    tenant: word('Tenant the session belongs to.'),
    subject: word('User the session belongs to.'),
    issuer: word('Who issued the token the session was begun with.'),
    scope: word('Scopes of that token.'),
    metadata: z.looseObject({}).meta({ description: 'What clients say of the session.' }),
    analysis: z
      .looseObject({
        intent: word('What the user is after.'),
        sentiment: word('How the user feels.'),
        tags: z.array(z.string()).meta({ description: 'Labels.' }).optional(),
      })
      .meta({ description: 'What was found out of the conversation.' })
      .optional(),
    timestamps: z
      .looseObject({
        created_at: time('When the session began.'),
        updated_at: time('When the envelope was last written.'),
      })
      .meta({ description: 'Times in ISO 8601.' }),
  })
  .meta({ title: 'Session envelope' })

/** The same as JSON Schema. Formats say what patterns would: those are left out, since nobody can read them. */
export function envelopeJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(envelopeSchema, {
    override({ jsonSchema }) {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
    },
  })
  return { ...schema }
}

const label = text(LIMITS.note)

/** A change by a client. */
export const envelopeChange = z.strictObject({
  personaId: text(LIMITS.name).optional(),
  metadata: jsonObject.optional(),
  analysis: z
    .looseObject({ intent: label.nullish(), sentiment: label.nullish(), tags: z.array(label).nullish() })
    .optional(),
})

export const backfillOptions = z.strictObject({
  from: z.string().min(1),
  table: name.optional(),
  batch: name.optional(),
  dryRun: z.boolean().default(false),
  limit: z.int().min(1).optional(),
  after: z.string().optional(),
  tenant: name.default('local'),
  userId: name.default('unknown'),
  onProgress: z.custom<(progress: { sessions: number; of: number }) => void>().optional(),
})

/** Of a session that comes in from elsewhere: what has limits of its own, by the names it has there. */
export const legacyNames = z.object({
  personaId: text(LIMITS.name),
  tenant: name.optional(),
  subject: name.optional(),
  issuer: name.optional(),
  scope: text(LIMITS.note).optional(),
})

export const rollbackOptions = z.strictObject({
  batch: name.optional(),
  since: moment.optional(),
  dryRun: z.boolean().default(false),
  onProgress: z.custom<(progress: { sessions: number; of: number }) => void>().optional(),
})
