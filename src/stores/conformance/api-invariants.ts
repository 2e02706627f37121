import assert from 'node:assert/strict'
import { SequenceConflictError, SessionEndedError, SessionNotFoundError } from '../../domain/errors.ts'
import { uuid7 } from '../../ids.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { upTo } from './samples.ts'

const hello = { type: 'user_message', content: 'hello' } as const

/** A16 the errors and invariants of document 000, each under its name. */
export const invariantRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A16',
    title: 'SessionNotFoundError: the session does not exist',
    async check(db) {
      const tl = await db.connect()
      await assert.rejects(tl.sessions.get(uuid7()), SessionNotFoundError)
      const session = await tl.sessions.create({ userId: 'ada' })
      await tl.sessions.purge(session.id)
      await assert.rejects(session.append(hello), SessionNotFoundError)
      await assert.rejects(session.state(), SessionNotFoundError)
      await assert.rejects(session.updateState({ a: 1 }), SessionNotFoundError)
      await assert.rejects(session.recent(), SessionNotFoundError)
      await assert.rejects(session.messages(), SessionNotFoundError)
      await assert.rejects(session.transitions(), SessionNotFoundError)
    },
  },
  {
    id: 'A16',
    title: 'SessionEndedError: an ended session takes no events and no state',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.end()
      await assert.rejects(session.append(hello), SessionEndedError)
      await assert.rejects(session.addMessage({ role: 'user', content: 'a' }), SessionEndedError)
      await assert.rejects(session.updateState({ a: 1 }), SessionEndedError)
      await assert.rejects(session.end(), SessionEndedError)
      assert.equal((await session.record()).head, 2)
    },
  },
  {
    id: 'A16',
    title: 'SequenceConflictError: another writer came first, and the retry succeeds',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const attempts = upTo(8).map(() => session.append(hello, { expectedSequence: 1 }))
      const results = await Promise.allSettled(attempts)
      const lost = results.filter((result) => result.status === 'rejected')
      assert.equal(lost.length, 7)
      for (const { reason } of lost) assert(reason instanceof SequenceConflictError)
      const [first] = lost
      assert(first?.reason instanceof SequenceConflictError)
      await session.append(hello, { expectedSequence: first.reason.details.actual })
      assert.equal((await session.record()).head, 3)
    },
  },
  {
    id: 'A16',
    title: 'Invariant 1, append-only events: no later call changes a written event',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.addMessage({ role: 'user', content: 'first' })
      const before = await session.events()
      await session.updateState({ a: 1 })
      await session.clear()
      await session.recordTransition({ to: 'motivator', reason: 'r' })
      await tl.rebuild(session.id)
      await session.end()
      assert.deepEqual((await session.events()).slice(0, 2), before)
    },
  },
  {
    id: 'A16',
    title: 'Invariant 2, strict sequencing: 1, 2, 3 … across concurrent calls of every kind',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await Promise.all(
        upTo(10).flatMap((n): Promise<unknown>[] => [
          session.append([hello, hello]),
          session.updateState({ [`k${n}`]: n }),
          session.passGate(n),
          session.recordTransition({ to: 'coach', reason: `${n}` }),
        ]),
      )
      const sequences = (await session.events({ limit: 500 })).map(({ sequence }) => sequence)
      assert.deepEqual(sequences, upTo(1 + 10 * (2 + 1 + 2 + 1)))
    },
  },
  {
    id: 'A16',
    title: 'Invariant 3, state mutability: only the scratchpad changes, and the log records each change',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.updateState({ a: 1 })
      await session.updateState({ a: 2 })
      assert.deepEqual((await session.state()).scratchpad, { a: 2 })
      const changes = await session.events({ types: ['state_changed'] })
      assert.deepEqual(
        changes.map(({ parts }) => parts),
        [
          { op: 'merge', patch: { a: 1 } },
          { op: 'merge', patch: { a: 2 } },
        ],
      )
    },
  },
  {
    id: 'A16',
    title: 'Invariant 4, cascade cleanup: ending a session keeps its events and its state',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append([hello, hello])
      await session.updateState({ a: 1 })
      await session.end()
      const again = await tl.sessions.get(session.id)
      assert.equal((await again.events()).length, 5)
      assert.equal((await again.messages()).length, 2)
      assert.deepEqual((await again.state()).scratchpad, { a: 1 })
    },
  },
]
