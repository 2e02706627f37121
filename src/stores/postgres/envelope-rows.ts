import type { Envelope, EnvelopeView } from '../../domain/envelope.ts'
import { encodeTrustedJson, type JsonObject } from '../../domain/json.ts'

/** The envelope's columns in `context.session_views` and `context.envelope_views`; all null if missing or outdated. */
export interface EnvelopeColumns {
  envelope_persona_id: string
  envelope_tenant: string
  envelope_subject: string
  envelope_issuer: string | null
  envelope_scope: string | null
  envelope_metadata: JsonObject
  envelope_analysis: Envelope['analysis']
  envelope_created_at: string | null
  envelope_updated_at: string
  envelope_batch: string | null
}

/** The envelope of a row, to spread into a view. */
export function envelopeOf(id: string, row: EnvelopeColumns): { envelope?: EnvelopeView } {
  if (row.envelope_created_at === null) return {}
  const document: Envelope = {
    session_id: id,
    persona_id: row.envelope_persona_id,
    tenant: row.envelope_tenant,
    subject: row.envelope_subject,
    ...(row.envelope_issuer !== null && { issuer: row.envelope_issuer }),
    ...(row.envelope_scope !== null && { scope: row.envelope_scope }),
    metadata: row.envelope_metadata,
    analysis: row.envelope_analysis,
    timestamps: {
      created_at: row.envelope_created_at,
      updated_at: row.envelope_updated_at,
    },
  }
  return { envelope: { document, ...(row.envelope_batch !== null && { batch: row.envelope_batch }) } }
}

/**
 * An envelope as column values: persona, subject, issuer, scope, metadata, analysis, created, updated, batch. All null
 * without an envelope.
 */
export function envelopeValues(envelope: EnvelopeView | undefined): unknown[] {
  if (envelope === undefined) return Array(9).fill(null)
  const { persona_id, subject, issuer, scope, metadata, analysis, timestamps } = envelope.document
  return [
    ...[persona_id, subject, issuer, scope, encodeTrustedJson(metadata), encodeTrustedJson(analysis)],
    ...[timestamps.created_at, timestamps.updated_at, envelope.batch],
  ]
}
