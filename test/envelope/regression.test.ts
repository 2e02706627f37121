import { Redis } from 'ioredis'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { open, type Throughline } from '../../src/index.ts'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../servers/database.ts'

const cache = inject('redis').url
let databases: Databases
let database: TestDatabase
let redis: Redis
let gateway: Throughline
let worker: Throughline
const registry = new Registry()

beforeAll(async () => {
  databases = await databasesOf(inject('postgres')[0]?.url ?? '')
  database = await databases.create()
  redis = new Redis(cache)
  const url = database.url(SERVING)
  // two processes that share only the servers, like a gateway and a conversation worker
  gateway = await open({ url, cache, metrics: registry })
  worker = await open({ url, cache })
})
afterAll(async () => {
  await gateway.close()
  await worker.close()
  redis.disconnect()
  await database.destroy()
  await databases.close()
})

/** One series of the gateway. */
async function count(name: string, labels: Record<string, string>): Promise<number> {
  const { values } = await (registry.getSingleMetric(name) as { get(): Promise<Values> }).get()
  const isIt = (value: Values['values'][number]) =>
    Object.entries(labels).every(([key, label]) => value.labels[key] === label)
  return values.filter(isIt).reduce((sum, { value }) => sum + value, 0)
}

interface Values {
  values: { value: number; labels: Record<string, string> }[]
}

const refreshes = () => count('session_envelope_refresh_total', {})

it('runs the regression flow: start, persona switch, quick action replay, tool echo, expiry and refresh from Postgres', async () => {
  // a new conversation starts at the gateway, by a verified token
  const token = { tenant: 'acme', userId: 'ada', issuer: 'https://login.test', scope: 'chat' }
  const talk = await gateway.as(token).sessions.create({ userId: 'ada', metadata: { channel: 'web' } })
  const key = `session:${talk.id}:meta`
  const started = await talk.envelope()
  expect(started).toMatchObject({ persona_id: '', tenant: 'acme', subject: 'ada', issuer: token.issuer, scope: 'chat' })
  expect(await refreshes()).toBe(1)
  expect(JSON.parse((await redis.get(key)) ?? '')).toEqual(started)
  const ttl = await redis.ttl(key)
  expect(ttl).toBeGreaterThan(890)
  expect(ttl).toBeLessThanOrEqual(900)
  expect(await talk.envelope()).toEqual(started)
  expect(await refreshes()).toBe(1)

  // the worker switches the persona, and mirrors what it wrote: the gateway sees it without asking Postgres
  const atWork = await worker.sessions.get(talk.id)
  const switched = await atWork.updateEnvelope({ personaId: 'planner', analysis: { intent: 'plan', tags: ['trip'] } })
  expect(await talk.envelope()).toEqual(switched)
  expect(JSON.parse((await redis.get(key)) ?? '')).toEqual(switched)
  expect(await refreshes()).toBe(1)

  // a quick action is replayed: the same key twice is one event, and the envelope stays
  const action = { type: 'user_message', content: 'Summarise this', parts: { action: 'summarise' } } as const
  const first = await talk.append(action, { idempotencyKey: 'quick-1' })
  const again = await talk.append(action, { idempotencyKey: 'quick-1' })
  expect(again).toEqual(first)
  expect(await talk.envelope()).toEqual(switched)

  // the tool executor echoes the persona of the envelope it finds
  const { persona_id } = await atWork.envelope()
  const call = { id: 'call-1', name: 'search', arguments: { q: 'trains', persona_id } }
  await atWork.append({ type: 'tool_call', content: '', parts: call, agentId: persona_id })
  await atWork.append({ type: 'tool_result', content: 'two trains', parts: { toolCallId: 'call-1', persona_id } })
  const { events, dangling } = await talk.recent()
  expect(dangling).toEqual([])
  const echoes = events.flatMap(({ type, parts }) => (type.startsWith('tool_') ? [JSON.stringify(parts)] : []))
  expect(echoes).toHaveLength(2)
  for (const echo of echoes) expect(echo).toContain('"persona_id":"planner"')

  // the time to live runs out: one miss, one refresh from Postgres, and the cache has it again
  expect(await redis.pexpireat(key, 1)).toBe(1)
  expect(await redis.exists(key)).toBe(0)
  expect(await talk.envelope()).toEqual(switched)
  expect(await refreshes()).toBe(2)
  expect(await count('session_envelope_refresh_total', { result: 'found' })).toBe(2)
  expect(JSON.parse((await redis.get(key)) ?? '')).toEqual(switched)
  const [row] = await database.admin(
    'select persona_id, tenant, subject, issuer, scope, metadata, analysis from context.session_envelopes',
  )
  expect(row).toEqual({
    persona_id: 'planner',
    tenant: 'acme',
    subject: 'ada',
    issuer: token.issuer,
    scope: 'chat',
    metadata: { channel: 'web' },
    analysis: { intent: 'plan', tags: ['trip'] },
  })

  // what clients may not say is refused and counted
  await expect(talk.updateEnvelope({ metadata: { tenant: 'other' } })).rejects.toMatchObject({ code: 'VALIDATION' })
  expect(await count('session_envelope_validation_failures_total', { reason: 'reserved_key' })).toBe(1)

  // a missing session is a miss without a result; a purged one leaves the cache too
  await gateway.sessions.purge(talk.id)
  expect(await redis.exists(key)).toBe(0)
  await expect(talk.envelope()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  expect(await count('session_envelope_refresh_total', { result: 'missing' })).toBe(1)
  expect(await count('session_envelope_refresh_total', { result: 'error' })).toBe(0)
  expect(await count('session_envelope_write_total', { operation: 'create', status: 'ok' })).toBe(1)
})

it('treats a broken cache entry as a miss, and repairs it', async () => {
  const talk = await gateway.sessions.create({ userId: 'eve' })
  const key = `session:${talk.id}:meta`
  const envelope = await talk.envelope()
  for (const broken of ['{"session_id":"other"}', JSON.stringify({ ...envelope, metadata: [] })]) {
    await redis.set(key, broken, 'KEEPTTL')
    const before = await count('session_envelope_validation_failures_total', { reason: 'cached_envelope' })
    expect(await talk.envelope()).toEqual(envelope)
    expect(await count('session_envelope_validation_failures_total', { reason: 'cached_envelope' })).toBe(before + 1)
    expect(JSON.parse((await redis.get(key)) ?? '')).toEqual(envelope)
  }
})

it('updates the cache on the next write after another process crashed before its invalidation', async () => {
  const mute = await open(database.url(SERVING))
  try {
    for (const options of [{}, { idempotencyKey: 'once' }]) {
      const talk = await gateway.sessions.create({ userId: 'bob' })
      const [theirs, unheard] = [await worker.sessions.get(talk.id), await mute.sessions.get(talk.id)]
      await talk.envelope()
      await unheard.updateEnvelope({ personaId: 'planner' }, options)
      expect((await theirs.envelope()).persona_id).toBe('')
      await talk.updateEnvelope({ personaId: 'planner' }, options)
      expect((await theirs.envelope()).persona_id).toBe('planner')
    }
  } finally {
    await mute.close()
  }
})

it('takes a snapshot of all cache entries, whichever process wrote them', async () => {
  const id = crypto.randomUUID()
  await redis.set(`session:${id}:meta`, JSON.stringify({ persona_id: 'legacy', metadata: { a: 1 } }))
  await redis.set(`session:${crypto.randomUUID()}:meta`, 'no JSON')
  const found: unknown[] = []
  for await (const envelope of gateway.envelopes.cached()) if (envelope.session_id === id) found.push(envelope)
  expect(found).toEqual([{ session_id: id, persona_id: 'legacy', metadata: { a: 1 } }])
  await redis.del(`session:${id}:meta`)
})
