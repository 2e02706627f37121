import type { SessionEvent } from './event.ts'
import type { JsonObject } from './json.ts'
import { mergeObject } from './merge-patch.ts'

/**
 * The canonical document of a session: owner, persona, metadata and analysis. Keys are snake_case, as other systems
 * read them.
 */
export interface Envelope {
  session_id: string
  /** Persona of the conversation; empty if unset. */
  persona_id: string
  tenant: string
  /** User the session belongs to. */
  subject: string
  /** Issuer of the token that created the session. */
  issuer?: string
  /** Scopes of that token. */
  scope?: string
  /** Client metadata, the same as the record's. */
  metadata: JsonObject
  /** Findings about the conversation. */
  analysis: Analysis & JsonObject
  /** `updated_at` is when the envelope was last written, not the session. */
  timestamps: { created_at: string; updated_at: string }
}

/** Analysis keys with a fixed meaning and type. */
export interface Analysis {
  intent?: string
  sentiment?: string
  tags?: readonly string[]
}

/** A stored envelope. */
export interface EnvelopeView {
  document: Envelope
  /** The last backfill that wrote it. */
  batch?: string
}

/** Token claims of the session's creator. */
export interface Identity {
  issuer?: string
  scope?: string
}

/** Parts of `envelope_updated`: the changes. */
export interface EnvelopeChange {
  personaId?: string
  /** Merge patch (RFC 7396). */
  metadata?: JsonObject
  /** Merge patch (RFC 7396). */
  analysis?: JsonObject
  /** Metadata and analysis replace the existing ones instead. */
  whole?: true
  /** The backfill that writes this change. */
  batch?: string
}

/** Envelope keys that client metadata must not use. */
export const RESERVED_KEYS = [
  'tenant',
  'subject',
  'issuer',
  'scope',
  'analysis',
  'persona_id',
  'session_id',
  'timestamps',
] as const

/** Returns the first reserved key in client metadata. */
export function findReservedKey(metadata: JsonObject): string | undefined {
  return RESERVED_KEYS.find((key) => Object.hasOwn(metadata, key))
}

interface StartParts {
  tenant: string
  userId: string
  metadata: JsonObject
  identity?: Identity
  batch?: string
}

/** Returns the envelope of a new session. A session that started elsewhere states its own start time. */
export function initialEnvelope(event: SessionEvent): EnvelopeView {
  const { tenant, userId, metadata, identity, batch } = event.parts as unknown as StartParts
  const created_at = normalizeTime(event.occurredAt) ?? event.createdAt
  return {
    document: {
      session_id: event.sessionId,
      persona_id: '',
      tenant,
      subject: userId,
      ...identity,
      metadata,
      analysis: {},
      timestamps: { created_at, updated_at: event.createdAt },
    },
    ...(batch !== undefined && { batch }),
  }
}

/** Converts a caller's time to ISO 8601 in UTC. */
function normalizeTime(time: string | undefined): string | undefined {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** Applies a change to the metadata of record and envelope. */
export function applyMetadataChange(metadata: JsonObject, change: EnvelopeChange): JsonObject {
  return change.metadata === undefined ? metadata : mergeOrReplace(metadata, change.metadata, change)
}

/** Applies a change to an envelope. */
export function applyEnvelopeChange({ document }: EnvelopeView, change: EnvelopeChange, at: string): EnvelopeView {
  const { personaId = document.persona_id, analysis, batch } = change
  return {
    document: {
      ...document,
      persona_id: personaId,
      metadata: applyMetadataChange(document.metadata, change),
      analysis: analysis === undefined ? document.analysis : mergeOrReplace(document.analysis, analysis, change),
      timestamps: { ...document.timestamps, updated_at: at },
    },
    ...(batch !== undefined && { batch }),
  }
}

function mergeOrReplace(target: JsonObject, value: JsonObject, { whole }: EnvelopeChange): JsonObject {
  return whole ? value : mergeObject(target, value)
}

/** Copies an envelope for a fork that starts now. */
export function forkEnvelope({ document }: EnvelopeView, event: SessionEvent, metadata: JsonObject): EnvelopeView {
  const { createdAt } = event
  return {
    document: {
      ...document,
      session_id: event.sessionId,
      metadata,
      timestamps: { created_at: createdAt, updated_at: createdAt },
    },
  }
}
