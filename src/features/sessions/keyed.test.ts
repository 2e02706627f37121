import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ThroughlineError } from '../../domain/errors.ts'
import type { SessionRecord } from '../../domain/record.ts'
import type { Call } from '../../http/route.ts'
import { type Opened, openDeps } from '../../open/open.ts'
import { restricted } from '../kernel/access.ts'
import type { Deps } from '../kernel/deps.ts'
import { derivedId, isDerivedId } from '../kernel/derived-id.ts'
import { appendEvents } from '../log/operation.ts'
import { sessionsRoutes } from './route.ts'

let opened: Opened
let deps: Deps

beforeEach(async () => {
  opened = await openDeps({ url: 'memory:' })
  deps = opened.deps
})

afterEach(() => opened.close())

async function called(operation: string, call: Partial<Call>): Promise<SessionRecord> {
  const route = sessionsRoutes.find((known) => known.operation === operation)
  const rest = { id: '', params: {}, query: {}, body: {}, key: {}, onProgress() {}, signal: deps.closed }
  return (await route?.handle({ deps, ...rest, ...call })) as SessionRecord
}

const created = async (body: unknown, idempotencyKey = 'k', by = deps) =>
  (await called('createSession', { deps: by, body, key: { idempotencyKey } })).id

const forked = (id: string, body: unknown, idempotencyKey = 'k') =>
  called('forkSession', { id, body, key: { idempotencyKey } })

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: ThroughlineError) => error.code,
  )

describe('an id made from words', () => {
  it('is a UUID of version 8, whatever the words', () => {
    for (let i = 0; i < 500; i++) {
      expect(derivedId('create', `${i}`)).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    }
  })

  it('is the same for the same words, and in every version of this package', () => {
    // sha256 of ["create","local","ada","k"], with version and variant in place
    expect(derivedId('create', 'local', 'ada', 'k')).toBe('d2de9053-4e65-875e-970e-2028c7cad56b')
  })

  it('is told from ids of other versions and variants', () => {
    const isKeyed = (id: string) => [isDerivedId(id), isDerivedId(id.toUpperCase())]
    expect(isKeyed(derivedId('a'))).toEqual([true, true])
    expect(isKeyed('88888888-8888-7888-8888-888888888888')).toEqual([false, false])
    expect(isKeyed('88888888-8888-8888-c888-888888888888')).toEqual([false, false])
    expect(isKeyed('00000000-0000-8000-b000-000000000000')).toEqual([true, true])
  })

  it('is another where the same letters are other words', () => {
    expect(derivedId('a', 'b"c')).not.toBe(derivedId('a"b', 'c'))
    expect(derivedId('a', 'bc')).not.toBe(derivedId('ab', 'c'))
  })
})

describe('a session created with a key', () => {
  it('is given again when the call is repeated', async () => {
    const id = await created({ userId: 'ada', task: 'mend', expiresInMs: 60_000 })
    expect(await created({ userId: 'ada', task: 'mend', expiresInMs: 60_000 })).toBe(id)
    expect(await codeOf(created({ userId: 'ada', task: 'other', expiresInMs: 60_000 }))).toBe('IDEMPOTENCY_MISMATCH')
  })

  it('is another for another key, user or tenant', async () => {
    const ids = [
      await created({ userId: 'ada' }),
      await created({ userId: 'ada' }, 'other'),
      await created({ userId: 'bob' }),
      await created({ userId: 'ada', tenant: 'acme' }),
    ]
    expect(new Set(ids).size).toBe(4)
  })

  it('belongs to the tenant of the caller where none is named', async () => {
    const id = await created({ userId: 'ada', tenant: 'acme' })
    expect(await created({ userId: 'ada' }, 'k', restricted(deps, { tenant: 'acme' }))).toBe(id)
  })

  it('keeps the id that it was given, which is none that a key could give', async () => {
    const id = deps.newId()
    expect(await created({ userId: 'ada', id })).toBe(id)
    expect(await codeOf(created({ userId: 'ada', id: derivedId('create', 'local', 'ada', 'k') }))).toBe('VALIDATION')
  })

  it('is refused for what is wrong with it', async () => {
    for (const body of [undefined, null, [], 'ada', {}, { userId: 7 }, { userId: 'ada', tenant: 7 }]) {
      expect(await codeOf(created(body))).toBe('VALIDATION')
    }
    expect(await codeOf(created({ userId: 'ada' }, ''))).toBe('VALIDATION')
  })
})

describe('a fork made with a key', () => {
  it('is given again when the call is repeated, though the source went on', async () => {
    const source = await created({ userId: 'ada' })
    const fork = await forked(source, { task: 'mend' })
    await appendEvents(deps, source, { type: 'user_message', content: 'go on' })
    expect(await forked(source, { task: 'mend' })).toEqual(fork)
    expect(await codeOf(forked(source, { task: 'other' }))).toBe('IDEMPOTENCY_MISMATCH')
    expect(await codeOf(forked(source, { task: 'mend', at: 2 }))).toBe('IDEMPOTENCY_MISMATCH')
  })

  it('is another for another key or source', async () => {
    const source = await created({ userId: 'ada' })
    const fork = await forked(source, undefined)
    const others = [await forked(source, undefined, 'other'), await forked(fork.id, undefined)]
    expect(new Set([fork, ...others].map(({ id }) => id)).size).toBe(3)
  })

  it('keeps the id that it was given, which is none that a key could give', async () => {
    const [id, source] = [deps.newId(), await created({ userId: 'ada' })]
    const fork = await forked(source, { id })
    expect(fork.id).toBe(id)
    expect(await codeOf(forked(source, { id: derivedId('fork', source, 'k') }))).toBe('VALIDATION')
    await appendEvents(deps, source, { type: 'user_message', content: 'go on' })
    expect(await forked(source, { id: id.toUpperCase() })).toEqual(fork)
    expect(await codeOf(forked(source, { id, at: 2 }))).toBe('IDEMPOTENCY_MISMATCH')
    expect(await codeOf(forked(source, { id, task: 'other' }))).toBe('IDEMPOTENCY_MISMATCH')
    expect(await codeOf(forked(fork.id, { id }))).toBe('IDEMPOTENCY_MISMATCH')
  })
})
