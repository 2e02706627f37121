import type { SessionEvent } from './event.ts'
import type { JsonObject } from './json.ts'
import { mergeObject } from './merge-patch.ts'

/** The canonical document of a session: who it belongs to, who guides it, what is known of it. Its keys are written as others read them. */
export interface Envelope {
  session_id: string
  /** Persona that guides the conversation; empty when unset. */
  persona_id: string
  tenant: string
  /** User the session belongs to. */
  subject: string
  /** Who issued the token it was begun with. */
  issuer?: string
  /** Scopes of that token. */
  scope?: string
  /** What clients gave, the same as the record's. */
  metadata: JsonObject
  /** What was found out of the conversation. */
  analysis: Analysis & JsonObject
  /** `updated_at` is when the envelope was last written, not the session. */
  timestamps: { created_at: string; updated_at: string }
}

/** Keys of an analysis that have a meaning, and so a type. */
export interface Analysis {
  intent?: string
  sentiment?: string
  tags?: readonly string[]
}

/** The envelope of a session as it is stored. */
export interface EnvelopeView {
  document: Envelope
  /** The backfill that wrote it last. */
  batch?: string
}

/** By whom a session was begun, where that is known from a token. */
export interface Identity {
  issuer?: string
  scope?: string
}

/** What `envelope_updated` holds: what is new. */
export interface EnvelopeChange {
  personaId?: string
  /** Merged into what is there (RFC 7396). */
  metadata?: JsonObject
  /** The same. */
  analysis?: JsonObject
  /** Metadata and analysis take the place of what is there instead. */
  whole?: true
  /** The backfill that writes it. */
  batch?: string
}

/** Keys of an envelope that clients may not use in their metadata: these come from elsewhere. */
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

/** The first reserved key in what a client gave as metadata. */
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

/** The envelope a session begins with. A session that began elsewhere says when. */
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

/** A caller's time in the form that all times of ours have. */
function normalizeTime(time: string | undefined): string | undefined {
  const ms = Date.parse(time ?? '')
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** The metadata of a session after a change: its record's and its envelope's. */
export function applyMetadataChange(metadata: JsonObject, change: EnvelopeChange): JsonObject {
  return change.metadata === undefined ? metadata : mergeOrReplace(metadata, change.metadata, change)
}

/** The envelope after a change. */
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

/** The envelope of a fork: the same, of another session that begins now. */
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
