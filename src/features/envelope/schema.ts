import { z } from 'zod/mini'
import { LIMITS } from '../../domain/limits.ts'
import { jsonObject, moment, name, schema, tenantName, text } from '../kernel/parse.ts'

const word = (description: string) => z.optional(z.string().register(z.globalRegistry, { description }))
const time = (description: string) =>
  z.optional(z.iso.datetime({ offset: true }).register(z.globalRegistry, { description }))

/**
 * The canonical document, as cached and published. Unknown keys are kept. `schemas/session-envelope.json` is generated
 * from this.
 */
export const envelopeSchema = schema(() =>
  z
    .looseObject({
      session_id: z.guid().register(z.globalRegistry, { description: 'Id of the session.' }),
      persona_id: word('Persona that guides the conversation; empty when unset.'),
      tenant: word('Tenant the session belongs to.'),
      subject: word('User the session belongs to.'),
      issuer: word('Who issued the token the session was begun with.'),
      scope: word('Scopes of that token.'),
      metadata: z.looseObject({}).register(z.globalRegistry, { description: 'Set by clients.' }),
      analysis: z.optional(
        z
          .looseObject({
            intent: word('What the user is after.'),
            sentiment: word('How the user feels.'),
            tags: z.optional(z.array(z.string()).register(z.globalRegistry, { description: 'Labels.' })),
          })
          .register(z.globalRegistry, { description: 'Analysis of the conversation.' }),
      ),
      timestamps: z
        .looseObject({
          created_at: time('When the session began.'),
          updated_at: time('When the envelope was last written.'),
        })
        .register(z.globalRegistry, { description: 'Times in ISO 8601.' }),
    })
    .register(z.globalRegistry, { title: 'Session envelope' }),
)

/** The JSON Schema of the document, with formats instead of unreadable patterns. */
export function envelopeJsonSchema(): Record<string, unknown> {
  const document = z.toJSONSchema(envelopeSchema(), {
    override({ jsonSchema }) {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
    },
  })
  return { ...document }
}

const label = schema(() => text(LIMITS.note))

/** A client's change. */
export const envelopeChange = schema(() =>
  z.strictObject({
    personaId: z.optional(text(LIMITS.name)),
    metadata: z.optional(jsonObject()),
    analysis: z.optional(
      z.looseObject({ intent: z.nullish(label()), sentiment: z.nullish(label()), tags: z.nullish(z.array(label())) }),
    ),
  }),
)

export const backfillOptions = schema(() =>
  z.strictObject({
    from: z.string().check(z.minLength(1)),
    table: z.optional(name()),
    batch: z.optional(name()),
    dryRun: z._default(z.boolean(), false),
    limit: z.optional(z.int().check(z.minimum(1))),
    after: z.optional(z.string()),
    tenant: z._default(tenantName(), 'local'),
    userId: z._default(name(), 'unknown'),
    onProgress: z.optional(z.custom<(progress: { sessions: number; of: number }) => void>()),
  }),
)

/** Fields of a legacy session that have limits, by their legacy names. */
export const legacyNames = schema(() =>
  z.object({
    personaId: text(LIMITS.name),
    tenant: z.optional(tenantName()),
    subject: z.optional(name()),
    issuer: z.optional(name()),
    scope: z.optional(text(LIMITS.note)),
  }),
)

export const rollbackOptions = schema(() =>
  z.strictObject({
    batch: z.optional(name()),
    since: z.optional(moment()),
    dryRun: z._default(z.boolean(), false),
    onProgress: z.optional(z.custom<(progress: { sessions: number; of: number }) => void>()),
  }),
)
