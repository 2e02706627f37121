import assert from 'node:assert/strict'
import { RESERVED_KEYS } from '../../domain/envelope.ts'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, fixedClock, NOON, noonPlus, upTo } from './samples.ts'

const fieldOf = (error: Error) => (error as Error & { field?: string }).field

/** A25 the envelope. */
export const apiEnvelopeRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A25',
    title: 'starts with owner and metadata, and each change is an event',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada', tenant: 'acme', metadata: { z: 1, a: { b: [1] } } })
      const first = await session.envelope()
      assert.deepEqual(first, {
        session_id: session.id,
        persona_id: '',
        tenant: 'acme',
        subject: 'ada',
        metadata: { z: 1, a: { b: [1] } },
        analysis: {},
        timestamps: { created_at: NOON, updated_at: NOON },
      })
      clock.advance(1000)
      await session.append({ type: 'user_message', content: 'hello' })
      assert.deepEqual(await session.envelope(), first)
      const patch = {
        personaId: 'coach',
        metadata: { a: { c: -0 }, z: null },
        analysis: { intent: 'greet', tags: ['x'] },
      }
      const second = await session.updateEnvelope(patch)
      assert.deepEqual(second, {
        ...first,
        persona_id: 'coach',
        metadata: { a: { b: [1], c: -0 } },
        analysis: { intent: 'greet', tags: ['x'] },
        timestamps: { created_at: NOON, updated_at: noonPlus(1) },
      })
      assert.deepEqual(await session.envelope(), second)
      assert.deepEqual((await session.record()).metadata, second.metadata)
      const third = await session.updateEnvelope({ personaId: '', analysis: { sentiment: 'glad', tags: null, own: 1 } })
      assert.deepEqual(third.analysis, { intent: 'greet', sentiment: 'glad', own: 1 })
      assert.deepEqual([third.persona_id, third.metadata], ['', second.metadata])
      const events = await session.events({ types: ['envelope_updated'] })
      assert.deepEqual(
        events.map(({ sequence, role, parts }) => [sequence, role, parts]),
        [
          [3, 'system', patch],
          [4, 'system', { personaId: '', analysis: { sentiment: 'glad', tags: null, own: 1 } }],
        ],
      )
      // key by key, in insertion order
      const order = JSON.stringify({ intent: 'greet', sentiment: 'glad', own: 1 })
      for (const read of [third, await session.envelope(), await session.envelope()]) {
        assert.equal(JSON.stringify(read.analysis), order)
      }
      await session.updateEnvelope({ metadata: { zeta: 1, alpha: 2 }, analysis: { zeta: 1, tags: ['y'], alpha: 2 } })
      const fourth = JSON.stringify({ intent: 'greet', sentiment: 'glad', own: 1, zeta: 1, tags: ['y'], alpha: 2 })
      for (let n = 0; n < 2; n++) assert.equal(JSON.stringify((await session.envelope()).analysis), fourth)
      assert.deepEqual((await session.at(2)).envelope, first)
      assert.deepEqual((await session.at(3)).envelope, second)
      assert.deepEqual((await session.at(4)).envelope, third)
      assert.deepEqual((await tl.verify(session.id)).differences, [])
    },
  },
  {
    id: 'A25',
    title: 'rejects envelope keys as metadata and other invalid input, and writes nothing',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', metadata: { a: 1 } })
      const before = await session.envelope()
      for (const key of RESERVED_KEYS) {
        const metadata = { fine: 1, [key]: 'mine' }
        for (const call of [
          () => tl.sessions.create({ userId: 'ada', metadata }),
          () => tl.sessions.getOrCreate({ userId: 'new', metadata }),
          () => session.updateEnvelope({ metadata }),
          () => session.updateEnvelope({ metadata: { [key]: null } }),
          () => session.fork({ metadata }),
        ]) {
          assert.equal(fieldOf(await expectError('VALIDATION', call())), `metadata.${key}`)
        }
      }
      const wrong: [unknown, string][] = [
        [{ tenant: 'other' }, 'tenant'],
        [{ personaId: 7 }, 'personaId'],
        [{ personaId: 'a\0b' }, 'personaId'],
        [{ metadata: [] }, 'metadata'],
        [{ metadata: { a: Number.NaN } }, 'metadata.a'],
        [{ metadata: JSON.parse('{"__proto__": {"a": 1}}') }, 'metadata'],
        [{ analysis: 'glad' }, 'analysis'],
        [{ analysis: { intent: 1 } }, 'analysis.intent'],
        [{ analysis: { tags: 'x' } }, 'analysis.tags'],
        [{ analysis: { tags: [1] } }, 'analysis.tags[0]'],
        [{ analysis: { own: () => 1 } }, 'analysis.own'],
        [undefined, 'input'],
      ]
      for (const [input, field] of wrong) {
        assert.equal(fieldOf(await expectError('VALIDATION', session.updateEnvelope(input as never))), field)
      }
      const long = 'x'.repeat(LIMITS.metadata / 2)
      await session.updateEnvelope({ metadata: { long } })
      await expectError('TOO_LARGE', session.updateEnvelope({ metadata: { longer: long } }))
      await expectError('TOO_LARGE', session.updateEnvelope({ personaId: 'x'.repeat(LIMITS.name + 1) }))
      const after = await session.envelope()
      assert.deepEqual(after.metadata, { ...before.metadata, long })
      assert.equal((await session.record()).head, 2)
    },
  },
  {
    id: 'A25',
    title: 'keeps all concurrent changes, skips empty ones, and rejects changes after the end',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await Promise.all([
        ...upTo(12).map((n) => session.updateEnvelope({ metadata: { [`key${n}`]: n } })),
        ...upTo(12).map((n) => session.append({ type: 'user_message', content: `message ${n}` })),
      ])
      const { metadata } = await session.envelope()
      assert.deepEqual(
        Object.values(metadata).sort((a, b) => Number(a) - Number(b)),
        upTo(12),
      )
      assert.equal((await session.record()).head, 25)
      const once = await session.updateEnvelope({ personaId: 'coach' }, { idempotencyKey: 'k' })
      await session.updateEnvelope({ personaId: 'other' })
      assert.deepEqual(await session.updateEnvelope({ personaId: 'coach' }, { idempotencyKey: 'k' }), once)
      await expectError('IDEMPOTENCY_MISMATCH', session.updateEnvelope({ personaId: 'x' }, { idempotencyKey: 'k' }))
      assert.equal((await session.envelope()).persona_id, 'other')
      for (const same of [{}, { personaId: 'other' }, { metadata: { key1: 1 } }, { metadata: {}, analysis: {} }]) {
        assert.equal((await session.updateEnvelope(same)).persona_id, 'other')
      }
      assert.equal((await session.record()).head, 27)
      await session.end()
      await expectError('SESSION_ENDED', session.updateEnvelope({ personaId: 'coach' }))
      assert.equal((await session.envelope()).persona_id, 'other')
      await tl.sessions.purge(session.id)
      await expectError('SESSION_NOT_FOUND', session.envelope())
      await expectError('SESSION_NOT_FOUND', session.updateEnvelope({ personaId: 'coach' }))
    },
  },
  {
    id: 'A25',
    title: 'belongs to its owner only, and names the token that started the session',
    async check(db) {
      const tl = await db.connect()
      const token = { tenant: 'acme', userId: 'ada', issuer: 'https://login.test', scope: 'chat read' }
      const mine = tl.as(token)
      const id = uuid7()
      const session = await mine.sessions.create({ userId: 'ada', id })
      const envelope = await session.envelope()
      const { tenant, subject, issuer, scope } = envelope
      assert.deepEqual({ tenant, userId: subject, issuer, scope }, token)
      // a renewed token with other scopes finds the same session
      await tl.as({ ...token, scope: 'chat' }).sessions.create({ userId: 'ada', id })
      await tl
        .as(token)
        .as({ ...token, issuer: 'https://other.test' })
        .sessions.create({ userId: 'ada', id })
      assert.deepEqual(await session.envelope(), envelope)
      const fork = await session.fork()
      assert.deepEqual((await fork.envelope()).issuer, issuer)
      // read again through each handle: a cache must not leak it to others either
      for (const other of [
        { tenant: 'acme', userId: 'eve' },
        { tenant: 'other', userId: 'ada' },
        { tenant: 'other' },
      ]) {
        const handle = await tl.sessions.get(id)
        const theirs = tl.as(other)
        assert.deepEqual(await handle.envelope(), envelope)
        await expectError('SESSION_NOT_FOUND', theirs.sessions.get(id))
        for (const call of [theirs.intake.status(), theirs.envelopes.rollback({ since: NOON })]) {
          assert.equal(fieldOf(await expectError('VALIDATION', call)), 'principal')
        }
      }
    },
  },
  {
    id: 'A25',
    title: 'a fork starts with the envelope at its fork point and changes independently',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada', metadata: { a: 1 } })
      await session.updateEnvelope({ personaId: 'coach', analysis: { intent: 'plan' } })
      await session.updateEnvelope({ personaId: 'late' })
      clock.advance(5000)
      const early = await session.fork({ at: 2, metadata: { b: 2 } })
      const late = await session.fork()
      const expected = {
        ...(await session.envelope()),
        session_id: early.id,
        persona_id: 'coach',
        metadata: { b: 2 },
        timestamps: { created_at: noonPlus(5), updated_at: noonPlus(5) },
      }
      assert.deepEqual(await early.envelope(), expected)
      assert.deepEqual([(await late.envelope()).persona_id, (await late.envelope()).metadata], ['late', { a: 1 }])
      await early.updateEnvelope({ personaId: 'own' })
      assert.deepEqual([(await late.envelope()).persona_id, (await early.envelope()).persona_id], ['late', 'own'])
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A25',
    title: 'is folded from the log if none is stored, and none is stored if envelopes are off',
    async check(db) {
      const clock = fixedClock()
      const on = await db.connect({ clock })
      const off = await db.connect({ clock, envelopes: false })
      const early = await on.sessions.create({ userId: 'ada' })
      await early.updateEnvelope({ personaId: 'first' })
      const changed = await (await off.sessions.get(early.id)).updateEnvelope({
        personaId: 'second',
        metadata: { a: 1 },
      })
      const late = await off.sessions.create({ userId: 'bob', metadata: { b: 2 } })
      await late.updateEnvelope({ personaId: 'third' })
      const fork = await late.fork()
      for (const tl of [on, off]) {
        assert.deepEqual(await (await tl.sessions.get(early.id)).envelope(), changed)
        assert.equal((await (await tl.sessions.get(late.id)).envelope()).persona_id, 'third')
        assert.deepEqual((await (await tl.sessions.get(fork.id)).envelope()).metadata, { b: 2 })
      }
      assert.deepEqual((await off.verify()).differences, [])
      const differences = async () => (await on.verify()).differences.map(({ sessionId, field }) => [sessionId, field])
      const missing = [early.id, late.id, fork.id].sort().map((id) => [id, 'envelope'])
      assert.deepEqual((await differences()).sort(), missing)
      // a change stores the missing envelope
      assert.equal((await (await on.sessions.get(late.id)).updateEnvelope({ metadata: { c: 3 } })).persona_id, 'third')
      assert.equal((await differences()).length, 2)
      assert.equal((await on.rebuild()).repaired.length, 2)
      assert.deepEqual(await differences(), [])
      assert.deepEqual(await (await on.sessions.get(early.id)).envelope(), changed)
    },
  },
  {
    id: 'A25',
    title: 'can be rolled back by time: nothing is lost, and a rebuild stores the same envelopes',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const before = await tl.sessions.create({ userId: 'ada' })
      clock.advance(60_000)
      const sessions = await Promise.all(upTo(3).map((n) => tl.sessions.create({ userId: `user${n}` })))
      await Promise.all(sessions.map((session, n) => session.updateEnvelope({ personaId: `persona${n}` })))
      const all = [before, ...sessions]
      const envelopes = () => Promise.all(all.map((session) => session.envelope()))
      const kept = await envelopes()
      const since = noonPlus(60)
      assert.deepEqual(await tl.envelopes.rollback({ since, dryRun: true }), { dryRun: true, envelopes: 3 })
      assert.deepEqual((await tl.verify()).differences, [])
      assert.equal((await tl.envelopes.rollback({ since })).envelopes, 3)
      assert.equal((await tl.envelopes.rollback({ since })).envelopes, 0)
      assert.deepEqual(await envelopes(), kept)
      assert.equal((await tl.verify()).differences.length, 3)
      assert.equal((await tl.rebuild()).repaired.length, 3)
      assert.deepEqual((await tl.verify()).differences, [])
      assert.deepEqual(await envelopes(), kept)
      await expectError('VALIDATION', tl.envelopes.rollback({}))
      await expectError('VALIDATION', tl.envelopes.rollback({ since, batch: 'b' }))
    },
  },
  {
    id: 'A26',
    title: 'starts no sessions while the intake is paused; existing ones continue',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const other = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada', conversationId: 'talk' })
      assert.deepEqual(await tl.intake.status(), { paused: false })
      assert.deepEqual(await tl.intake.pause(), { paused: true, since: NOON })
      clock.advance(1000)
      assert.deepEqual(await other.intake.pause(), { paused: true, since: NOON })
      const { message } = await expectError('INTAKE_PAUSED', other.sessions.create({ userId: 'bob' }))
      assert.match(message, /2026/)
      await expectError('INTAKE_PAUSED', tl.as({ tenant: 'acme' }).sessions.getOrCreate({ userId: 'bob' }))
      await expectError('INTAKE_PAUSED', session.fork())
      await expectError('INTAKE_PAUSED', tl.conversations.handle('new', { userId: 'ada', message: 'hello' }))
      assert.equal((await tl.sessions.getOrCreate({ userId: 'ada' })).id, session.id)
      await session.append({ type: 'user_message', content: 'still here' })
      await session.updateEnvelope({ personaId: 'coach' })
      await tl.conversations.handle('talk', { userId: 'ada', message: 'more' })
      // a running session is not ended for one that cannot start
      const another = { userId: 'ada', message: 'New task: book a hotel in Rome instead' }
      await expectError('INTAKE_PAUSED', tl.conversations.handle('talk', another))
      assert.equal((await session.record()).endedAt, undefined)
      assert.equal((await tl.sessions.list()).items.length, 1)
      assert.deepEqual(await other.intake.resume(), { paused: false })
      await tl.sessions.create({ userId: 'bob' })
      await session.fork()
    },
  },
]
