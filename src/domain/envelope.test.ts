import { describe, expect, it } from 'vitest'
import {
  applyEnvelopeChange,
  applyMetadataChange,
  type Envelope,
  type EnvelopeView,
  findReservedKey,
  forkEnvelope,
  type Identity,
  initialEnvelope,
  RESERVED_KEYS,
} from './envelope.ts'
import type { SessionEvent } from './event.ts'
import type { Json } from './json.ts'

const T1 = '2026-01-31T09:30:00.000Z'
const T2 = '2026-01-31T09:31:00.000Z'

const EVENT: SessionEvent = {
  id: 'event-1',
  sessionId: 'session-1',
  sequence: 1,
  type: 'session_started',
  role: 'system',
  content: 'text',
  createdAt: T1,
}

const BEGINNING = { tenant: 'local', userId: 'ada', metadata: { topic: 'tea', cups: { hot: 1, cold: 2 } } }

const begun = (given: { identity?: Identity; batch?: string } = {}, event = EVENT) =>
  initialEnvelope({ ...event, parts: { ...BEGINNING, ...given } as unknown as Json })

const DOCUMENT: Envelope = {
  session_id: 'session-1',
  persona_id: 'barista',
  tenant: 'local',
  subject: 'ada',
  issuer: 'https://issuer',
  scope: 'a b',
  metadata: { topic: 'tea', cups: { hot: 1, cold: 2 } },
  analysis: { intent: 'order', tags: ['hot'], mood: { now: 'calm', before: 'tired' } },
  timestamps: { created_at: T1, updated_at: T1 },
}

const VIEW: EnvelopeView = { document: DOCUMENT, batch: 'b1' }

describe('the envelope a session begins with', () => {
  it('says who it belongs to, and knows nothing yet', () => {
    expect(begun()).toStrictEqual<EnvelopeView>({
      document: {
        session_id: 'session-1',
        persona_id: '',
        tenant: 'local',
        subject: 'ada',
        metadata: BEGINNING.metadata,
        analysis: {},
        timestamps: { created_at: T1, updated_at: T1 },
      },
    })
  })

  it.each([{ issuer: 'i', scope: 's' }, { issuer: 'i' }, { scope: 's' }, {}])('has the identity %o', (identity) => {
    const { document } = begun({ identity })
    expect(document).toMatchObject(identity)
    for (const key of ['issuer', 'scope']) expect(Object.hasOwn(document, key)).toBe(Object.hasOwn(identity, key))
  })

  it('was created when the session began elsewhere, and written now', () => {
    const { document } = begun({}, { ...EVENT, createdAt: T2, occurredAt: T1 })
    expect(document.timestamps).toStrictEqual({ created_at: T1, updated_at: T2 })
  })

  it('names the backfill that began it', () => {
    expect(begun({ batch: 'b1' })).toStrictEqual({ ...begun(), batch: 'b1' })
  })
})

describe('a change of the envelope', () => {
  const changed = (change: Parameters<typeof applyEnvelopeChange>[1]) => applyEnvelopeChange(VIEW, change, T2)
  const timestamps = { created_at: T1, updated_at: T2 }

  it('that says nothing new moves only the moment, and nobody but a backfill has a batch', () => {
    expect(changed({})).toStrictEqual({ document: { ...DOCUMENT, timestamps } })
    expect(changed({ batch: 'b2' })).toStrictEqual({ document: { ...DOCUMENT, timestamps }, batch: 'b2' })
  })

  it('sets the persona, and takes it away', () => {
    expect(changed({ personaId: 'host' }).document).toStrictEqual({ ...DOCUMENT, timestamps, persona_id: 'host' })
    expect(changed({ personaId: '' }).document.persona_id).toBe('')
  })

  it('merges metadata and analysis', () => {
    const change = {
      metadata: { topic: null, cups: { cold: 3 } },
      analysis: { tags: ['cold'], mood: { before: null }, sentiment: 'good' },
    }
    expect(changed(change).document).toStrictEqual({
      ...DOCUMENT,
      timestamps,
      metadata: { cups: { hot: 1, cold: 3 } },
      analysis: { intent: 'order', tags: ['cold'], mood: { now: 'calm' }, sentiment: 'good' },
    })
  })

  it('with whole replaces metadata and analysis, and nothing else', () => {
    const metadata = { cups: { cold: null } }
    expect(changed({ metadata, whole: true }).document).toStrictEqual({ ...DOCUMENT, timestamps, metadata })
    const analysis = { intent: 'pay' }
    expect(changed({ analysis, whole: true }).document).toStrictEqual({ ...DOCUMENT, timestamps, analysis })
  })

  it('does not change its input', () => {
    const before = structuredClone(VIEW)
    changed({ personaId: 'host', metadata: { topic: null }, analysis: { intent: null }, batch: 'b2' })
    expect(VIEW).toStrictEqual(before)
  })

  it('has the same metadata for the record', () => {
    const { metadata } = DOCUMENT
    for (const change of [{}, { metadata: { topic: null } }, { metadata: { cups: null }, whole: true as const }]) {
      expect(applyMetadataChange(metadata, change)).toStrictEqual(changed(change).document.metadata)
    }
    expect(applyMetadataChange(metadata, { whole: true })).toBe(metadata)
  })
})

describe('the envelope of a fork', () => {
  it('is that of its source with metadata of its own, from now on, and of no batch', () => {
    const event: SessionEvent = { ...EVENT, sessionId: 'session-2', createdAt: T2, occurredAt: T1 }
    expect(forkEnvelope(VIEW, event, { only: 'here' })).toStrictEqual({
      document: {
        ...DOCUMENT,
        session_id: 'session-2',
        metadata: { only: 'here' },
        timestamps: { created_at: T2, updated_at: T2 },
      },
    })
  })
})

describe('reserved keys', () => {
  it.each(RESERVED_KEYS)('are found: %s', (key) => {
    expect(findReservedKey({ mine: 1, [key]: null })).toBe(key)
  })

  it('are only looked for at the top, under their own names', () => {
    expect(findReservedKey({})).toBeUndefined()
    expect(findReservedKey({ mine: { tenant: 1 }, Tenant: 1, toString: 1, metadata: {} })).toBeUndefined()
  })
})
