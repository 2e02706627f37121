import assert from 'node:assert/strict'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import { type ServiceResult, type SessionResponse, serviceOf } from '../../service.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { fixedClock, NOON, noonPlus, upTo } from './samples.ts'

function dataOf<T>(result: ServiceResult<T>): T {
  assert(result.success, JSON.stringify(result))
  return result.data
}

function errorOf(result: ServiceResult<unknown>) {
  assert(!result.success, 'was accepted')
  return result.error
}

/** A session of ada with messages, one of them hidden, and transitions. */
export async function conversation(service: ReturnType<typeof serviceOf>, hide?: (id: string) => Promise<void>) {
  const { id } = dataOf(await service.getOrCreateSession('ada'))
  if (hide !== undefined) {
    await service.addMessage(id, 'ada', { role: 'user', content: 'hidden' })
    await hide(id)
  }
  await service.addMessage(id, 'ada', { role: 'user', content: 'hello "there" ü' })
  await service.addMessage(id, 'ada', { role: 'assistant', content: 'hi' })
  await service.recordTransition(id, 'ada', { to: 'motivator', reason: "it's time" })
  return dataOf(await service.addMessage(id, 'ada', { role: 'assistant', content: 'go' }))
}

type Check = (context: {
  db: ApiDatabase
  tl: Awaited<ReturnType<ApiDatabase['connect']>>
  service: ReturnType<typeof serviceOf>
  clock: ReturnType<typeof fixedClock>
  /** A session of ada. */
  session: SessionResponse
}) => Promise<void>

/** A15 service functions: one case per acceptance criterion and per review finding of document 002. */
export const serviceRules: readonly Rule<ApiDatabase>[] = Object.entries(checks()).map(([title, check]) => ({
  id: 'A15',
  title,
  async check(db) {
    const clock = fixedClock()
    const tl = await db.connect({ clock })
    const service = serviceOf(tl)
    const session = dataOf(await service.getOrCreateSession('ada'))
    await check({ db, tl, service, clock, session })
  },
}))

function checks(): Record<string, Check> {
  return {
    'AC 2: a new user gets a session with coach, no messages and no transitions': async ({ session }) => {
      assert.deepEqual(session, {
        id: session.id,
        userId: 'ada',
        activeAgent: 'coach',
        messages: [],
        agentTransitions: [],
        createdAt: NOON,
        updatedAt: NOON,
        expiresAt: null,
      })
    },
    'AC 3: a user with a session gets that session': async ({ service, session }) => {
      assert.deepEqual(dataOf(await service.getOrCreateSession('ada')), session)
      assert.deepEqual(dataOf(await service.getSession(session.id, 'ada')), session)
    },
    'AC 4: a message is appended with its time': async ({ service, session, clock }) => {
      clock.advance(1000)
      const { messages, updatedAt } = dataOf(
        await service.addMessage(session.id, 'ada', { role: 'user', content: 'Hello' }),
      )
      assert.deepEqual(messages, [{ role: 'user', content: 'Hello', timestamp: noonPlus(1) }])
      assert.equal(updatedAt, noonPlus(1))
    },
    'AC 5: a transition is recorded and the new agent is active': async ({ service, session }) => {
      const input = { to: 'goalArchitect', reason: 'User wants to create a goal' }
      const { activeAgent, agentTransitions } = dataOf(await service.recordTransition(session.id, 'ada', input))
      assert.equal(activeAgent, 'goalArchitect')
      assert.deepEqual(agentTransitions, [{ from: 'coach', ...input, timestamp: NOON }])
    },
    'AC 6: every function reports an unknown session id as not found': async ({ service }) => {
      for (const id of [uuid7(), 'no id at all', '']) {
        assert.equal(errorOf(await service.getSession(id, 'ada')).code, 'NOT_FOUND')
        assert.equal(errorOf(await service.updateActiveAgent(id, 'ada', 'coach')).code, 'NOT_FOUND')
        assert.equal(errorOf(await service.addMessage(id, 'ada', { role: 'user', content: 'a' })).code, 'NOT_FOUND')
        assert.equal(errorOf(await service.recordTransition(id, 'ada', { to: 'coach', reason: 'r' })).code, 'NOT_FOUND')
        assert.equal(errorOf(await service.clearSession(id, 'ada')).code, 'NOT_FOUND')
      }
    },
    'AC 7: invalid input fails with VALIDATION_ERROR': async ({ service, session }) => {
      const bad = [{ role: 'user', content: '' }, { role: 'tool', content: 'a' }, { content: 'a' }, null, 'text']
      for (const input of bad) {
        const { code, message } = errorOf(await service.addMessage(session.id, 'ada', input as never))
        assert.deepEqual([code, message.length > 5], ['VALIDATION_ERROR', true])
      }
      const { message } = errorOf(await service.addMessage(session.id, 'ada', { role: 'user', content: '' }))
      assert.match(message, /content/)
      for (const input of [{ to: 'nobody', reason: 'r' }, { to: 'coach', reason: '' }, {}]) {
        assert.equal(
          errorOf(await service.recordTransition(session.id, 'ada', input as never)).code,
          'VALIDATION_ERROR',
        )
      }
      assert.equal(errorOf(await service.updateActiveAgent(session.id, 'ada', 'nobody')).code, 'VALIDATION_ERROR')
      assert.equal(errorOf(await service.getOrCreateSession('')).code, 'VALIDATION_ERROR')
      assert.deepEqual(dataOf(await service.getSession(session.id, 'ada')), session)
    },
    'AC 8: a cleared session is deleted from the database': async ({ service, session, tl }) => {
      assert.deepEqual(dataOf(await service.clearSession(session.id, 'ada')), { deleted: true })
      assert.equal(errorOf(await service.getSession(session.id, 'ada')).code, 'NOT_FOUND')
      assert.deepEqual((await tl.sessions.list()).items, [])
      assert.notEqual(dataOf(await service.getOrCreateSession('ada')).id, session.id)
    },
    'F2: concurrent messages and transitions are all kept': async ({ service, session }) => {
      await Promise.all(
        upTo(25).flatMap((n) => [
          service.addMessage(session.id, 'ada', { role: 'user', content: `m${n}` }),
          service.recordTransition(session.id, 'ada', { to: n % 2 === 0 ? 'coach' : 'motivator', reason: `t${n}` }),
        ]),
      )
      const { messages, agentTransitions, activeAgent } = dataOf(await service.getSession(session.id, 'ada'))
      assert.equal(new Set(messages.map(({ content }) => content)).size, 25)
      assert.equal(new Set(agentTransitions.map(({ reason }) => reason)).size, 25)
      assert.equal(agentTransitions.at(-1)?.to, activeAgent)
    },
    "F3: every function reports another user's session as not found": async ({ service, session, tl }) => {
      assert.equal(errorOf(await service.getSession(session.id, 'bob')).code, 'NOT_FOUND')
      assert.equal(errorOf(await service.updateActiveAgent(session.id, 'bob', 'coach')).code, 'NOT_FOUND')
      assert.equal(
        errorOf(await service.addMessage(session.id, 'bob', { role: 'user', content: 'a' })).code,
        'NOT_FOUND',
      )
      const transition = { to: 'coach', reason: 'r' }
      assert.equal(errorOf(await service.recordTransition(session.id, 'bob', transition)).code, 'NOT_FOUND')
      assert.equal(errorOf(await service.clearSession(session.id, 'bob')).code, 'NOT_FOUND')
      const nobody = undefined as unknown as string
      for (const result of [
        await service.getOrCreateSession(nobody),
        await service.getSession(session.id, nobody),
        await service.updateActiveAgent(session.id, nobody, 'coach'),
        await service.addMessage(session.id, nobody, { role: 'user', content: 'a' }),
        await service.recordTransition(session.id, nobody, { to: 'coach', reason: 'r' }),
        await service.clearSession(session.id, nobody),
      ]) {
        assert.equal(errorOf(result).code, 'VALIDATION_ERROR')
      }
      assert.throws(() => tl.as({ tenant: 'local', userId: nobody }), { code: 'VALIDATION', field: 'userId' })
      const elsewhere = serviceOf(tl.as({ tenant: 'acme' }))
      assert.equal(errorOf(await elsewhere.getSession(session.id, 'ada')).code, 'NOT_FOUND')
      assert.notEqual(dataOf(await elsewhere.getOrCreateSession('ada')).id, session.id)
      assert.deepEqual(dataOf(await service.getSession(session.id, 'ada')), session)
    },
    'F4, F14: concurrent requests give a user one session': async ({ service, db }) => {
      const other = await db.connect()
      const services = [service, serviceOf(other)]
      const all = upTo(50).map((n) => services[n % 2]?.getOrCreateSession('grace'))
      const ids = (await Promise.all(all)).map((result) => result && dataOf(result).id)
      assert.equal(new Set(ids).size, 1)
    },
    'F5, F7: the registry defines the valid agents, for messages too': async ({ db }) => {
      const tl = await db.connect({ agents: ['planner', 'writer'] })
      const service = serviceOf(tl)
      const { id, activeAgent } = dataOf(await service.getOrCreateSession('grace'))
      assert.equal(activeAgent, 'planner')
      const message = { role: 'assistant', content: 'a' } as const
      assert.equal(
        errorOf(await service.addMessage(id, 'grace', { ...message, agentId: 'coach' })).code,
        'VALIDATION_ERROR',
      )
      await service.addMessage(id, 'grace', message)
      await service.updateActiveAgent(id, 'grace', 'writer')
      await service.addMessage(id, 'grace', message)
      await service.addMessage(id, 'grace', { ...message, agentId: 'planner' })
      const { messages } = dataOf(await service.addMessage(id, 'grace', { role: 'user', content: 'b' }))
      assert.deepEqual(
        messages.map(({ agentId }) => agentId),
        ['planner', 'writer', 'planner', undefined],
      )
    },
    'F6, F13: transitions name registered agents, and replacing an unregistered stored agent is recorded': async ({
      db,
      session,
      service,
    }) => {
      await service.recordTransition(session.id, 'ada', { to: 'motivator', reason: 'r' })
      const tl = await db.connect({ agents: ['planner', 'writer'] })
      const later = serviceOf(tl)
      const shown = await Promise.all(upTo(8).map(() => later.getSession(session.id, 'ada')))
      for (const each of shown) assert.equal(dataOf(each).activeAgent, 'planner')
      const { agentTransitions } = dataOf(await later.getOrCreateSession('ada'))
      assert.deepEqual(
        agentTransitions.map(({ from, to }) => [from, to]),
        [
          ['coach', 'motivator'],
          ['motivator', 'planner'],
        ],
      )
      assert.match(agentTransitions[1]?.reason ?? '', /motivator/)
    },
    'F8: storage failures are returned, never thrown': async ({ db, session }) => {
      const tl = await db.connect()
      const service = serviceOf(tl)
      await tl.close()
      for (const result of [
        await service.getOrCreateSession('ada'),
        await service.getSession(session.id, 'ada'),
        await service.updateActiveAgent(session.id, 'ada', 'coach'),
        await service.addMessage(session.id, 'ada', { role: 'user', content: 'a' }),
        await service.recordTransition(session.id, 'ada', { to: 'coach', reason: 'r' }),
        await service.clearSession(session.id, 'ada'),
      ]) {
        assert.equal(errorOf(result).code, 'DATABASE_ERROR')
      }
    },
    'F9: an expired session rejects writes and makes room for the next': async ({ tl, clock }) => {
      const service = serviceOf(tl, { expiresInMs: 60_000 })
      const { id, expiresAt } = dataOf(await service.getOrCreateSession('grace'))
      assert.equal(expiresAt, noonPlus(60))
      clock.advance(59_999)
      assert.equal(dataOf(await service.getOrCreateSession('grace')).id, id)
      clock.advance(1)
      const late = await service.addMessage(id, 'grace', { role: 'user', content: 'late' })
      assert.equal(errorOf(late).code, 'SESSION_ENDED')
      assert.equal(dataOf(await service.getSession(id, 'grace')).id, id)
      const next = dataOf(await service.getOrCreateSession('grace'))
      assert.notEqual(next.id, id)
      assert.equal(next.expiresAt, noonPlus(120))
    },
    'F10: messages have a size limit, and a response has the last turns only': async ({ tl, session }) => {
      const service = serviceOf(tl, { maxTurns: 2, maxContent: 100 })
      const long = await service.addMessage(session.id, 'ada', { role: 'user', content: 'x'.repeat(101) })
      assert.equal(errorOf(long).code, 'TOO_LARGE')
      assert.throws(() => serviceOf(tl, { maxContent: LIMITS.content + 1 }), { code: 'VALIDATION' })
      for (const n of upTo(3)) await service.addMessage(session.id, 'ada', { role: 'user', content: `m${n}` })
      const { messages } = dataOf(await service.getSession(session.id, 'ada'))
      assert.deepEqual(
        messages.map(({ content }) => content),
        ['m2', 'm3'],
      )
      const stored = await (await tl.sessions.get(session.id)).messages()
      assert.equal(stored.length, 3)
    },
    'F12: a session that is purged meanwhile is not found': async ({ service, session, tl }) => {
      const adding = upTo(10).map(() => service.addMessage(session.id, 'ada', { role: 'user', content: 'a' }))
      await tl.sessions.purge(session.id)
      for (const result of await Promise.all(adding)) {
        if (!result.success) assert.equal(result.error.code, 'NOT_FOUND')
      }
      assert.equal(errorOf(await service.getSession(session.id, 'ada')).code, 'NOT_FOUND')
    },
  }
}
