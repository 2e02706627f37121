import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ExportedEvent, SessionBlock } from '../../api.ts'
import type { StartedParts } from '../../domain/fold.ts'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { uuid7 } from '../../ids.ts'
import { type Opened, openDeps } from '../../open/open.ts'
import type { EnvelopeCache } from '../../ports/envelope-cache.ts'
import { throughlineOn } from '../../throughline.ts'
import type { Deps } from '../kernel/deps.ts'
import { importBlocks, importSessions } from './operation.ts'

const AT = '2026-03-01T12:00:00.000Z'

let opened: Opened
let deps: Deps

beforeEach(async () => {
  opened = await openDeps({ url: 'memory:', index: false })
  deps = opened.deps
})

afterEach(() => opened.close())

const tl = () => throughlineOn(deps, async () => {})

function started(more: Partial<StartedParts> = {}): StartedParts {
  const scope = { tenant: 'local', userId: 'ada', chatmode: 'default', conversationId: uuid7() }
  return { ...scope, agent: 'coach', metadata: {}, ...more }
}

/** A log of so many events, the first with these parts. */
function logOf(count: number, parts: Partial<StartedParts> = {}): ExportedEvent[] {
  const common = { role: 'system', createdAt: AT } as const
  return Array.from({ length: count }, (_, i) =>
    i === 0
      ? {
          ...common,
          sequence: 1,
          id: uuid7(),
          type: 'session_started',
          content: 'Session started',
          parts: { ...started(parts) } as never,
        }
      : { ...common, sequence: i + 1, id: uuid7(), type: 'user_message', content: `message ${i}` },
  )
}

const blockOf = (sessionId: string, events: readonly ExportedEvent[], done = true): SessionBlock => ({
  sessionId,
  events: [...events],
  done,
})

const event = (sequence: number, type: string, parts?: unknown) =>
  ({
    sequence,
    id: uuid7(),
    type,
    role: 'system',
    content: '',
    createdAt: AT,
    ...(parts !== undefined && { parts }),
  }) as ExportedEvent

/** The outcome of one block. */
const outcomeOf = async (block: unknown, as: Deps = deps) => (await importBlocks(as, [block]))[0]

async function isThere(id: string): Promise<boolean> {
  return (await deps.store.load({ sessionId: id })) !== undefined
}

describe('a block', () => {
  it('is written as it came, once, and what is behind it is added', async () => {
    const id = uuid7()
    const log = logOf(5)
    expect(await outcomeOf(blockOf(id, log.slice(0, 3)))).toEqual({
      sessionId: id,
      events: 3,
      written: 3,
      became: 'created',
    })
    expect(await outcomeOf(blockOf(id, log.slice(0, 2)))).toMatchObject({ written: 0, became: 'unchanged' })
    expect(await outcomeOf(blockOf(id, log))).toMatchObject({ events: 5, written: 2, became: 'extended' })
    expect(await outcomeOf(blockOf(id, log.slice(2, 4), false))).toEqual({ sessionId: id, events: 2, written: 0 })
    const session = await tl().sessions.get(id)
    expect(await session.events()).toEqual(log.map((each) => ({ ...each, sessionId: id })))
    expect((await tl().verify()).differences).toEqual([])
  })

  it('is nothing to anyone before the last one is there', async () => {
    const id = uuid7()
    const log = logOf(4)
    expect(await outcomeOf(blockOf(id, log.slice(0, 2), false))).toEqual({ sessionId: id, events: 2, written: 2 })
    expect(await isThere(id)).toBe(false)
    expect(await outcomeOf(blockOf(id, log.slice(0, 1), false))).toMatchObject({ written: 0 })
    expect(await outcomeOf(blockOf(id, log.slice(1)))).toMatchObject({ written: 2, became: 'created' })
    expect(await isThere(id)).toBe(true)
  })

  it('of another log is a conflict, wherever they part', async () => {
    const id = uuid7()
    const log = logOf(5)
    await outcomeOf(blockOf(id, log))
    const other = log.with(4, event(5, 'user_message'))
    const conflict = {
      sessionId: id,
      code: 'IMPORT_CONFLICT',
      message: expect.stringContaining('event 5'),
    }
    expect(await outcomeOf(blockOf(id, [...other, event(6, 'user_message')]))).toEqual(conflict)
    expect(await outcomeOf(blockOf(id, other))).toEqual(conflict)
    const early = log.with(2, event(3, 'user_message')).slice(0, 3)
    expect(await outcomeOf(blockOf(id, early, false))).toMatchObject({
      message: expect.stringContaining('event 3'),
    })
    // the logs part here, and the block is only of what came before
    expect(await outcomeOf(blockOf(id, log.slice(0, 4)))).toMatchObject({ became: 'unchanged' })
    expect((await (await tl().sessions.get(id)).record()).head).toBe(5)
  })

  it('of another log takes the place of what had only begun to come in', async () => {
    const id = uuid7()
    const [first, second] = [logOf(4), logOf(4)]
    await outcomeOf(blockOf(id, first.slice(0, 3), false))
    expect(await outcomeOf(blockOf(id, second.slice(0, 3), false))).toMatchObject({ written: 3 })
    expect(await outcomeOf(blockOf(id, first.slice(2)))).toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('import the session again'),
    })
    expect(await outcomeOf(blockOf(id, second))).toMatchObject({ became: 'created', written: 4 })
    expect((await (await tl().sessions.get(id)).events()).map((each) => each.id)).toEqual(second.map((each) => each.id))
  })

  it('that ends a session with what has come in already ends it all the same', async () => {
    const id = uuid7()
    const log = logOf(3)
    await outcomeOf(blockOf(id, log, false))
    expect(await outcomeOf(blockOf(id, log))).toMatchObject({ became: 'created' })
    expect(await isThere(id)).toBe(true)
  })

  it('that ends a session before what has come in of a longer export takes its place', async () => {
    const id = uuid7()
    const log = logOf(6)
    await outcomeOf(blockOf(id, log.slice(0, 5), false))
    expect(await outcomeOf(blockOf(id, log.slice(0, 3)))).toMatchObject({ became: 'created', written: 3 })
    expect((await (await tl().sessions.get(id)).record()).head).toBe(3)
    expect(await outcomeOf(blockOf(id, log))).toMatchObject({ became: 'extended', written: 3 })
  })

  it('that does so with only its end is refused, and comes in when it is imported once more', async () => {
    const id = uuid7()
    const log = logOf(6)
    await outcomeOf(blockOf(id, log.slice(0, 5), false))
    const shorter = [blockOf(id, log.slice(0, 2), false), blockOf(id, log.slice(2, 4))]
    expect(await importBlocks(deps, shorter)).toMatchObject([
      { written: 0 },
      { code: 'VALIDATION', message: expect.stringContaining('import the session again') },
    ])
    expect([await isThere(id), await deps.store.imports.find(id)]).toEqual([false, undefined])
    expect(await importBlocks(deps, shorter)).toMatchObject([{ written: 2 }, { became: 'created', written: 2 }])
    expect((await (await tl().sessions.get(id)).record()).head).toBe(4)
  })

  it('behind a gap is refused, and so is what follows it in the batch, for the same reason', async () => {
    const [id, good] = [uuid7(), uuid7()]
    const log = logOf(4)
    const outcomes = await importBlocks(deps, [
      blockOf(id, log.slice(2, 3), false),
      blockOf(good, logOf(2)),
      blockOf(id, log.slice(3)),
    ])
    const refused = {
      sessionId: id,
      code: 'VALIDATION',
      message: expect.stringContaining('events[0].sequence: must be 1'),
    }
    expect(outcomes).toEqual([refused, { sessionId: good, events: 2, written: 2, became: 'created' }, refused])
  })

  it('may have an id that was made from a key', async () => {
    const id = '01a1e3f5-9566-86fb-850c-dab67367cd3e'
    expect(await outcomeOf(blockOf(id, logOf(1)))).toMatchObject({ became: 'created' })
  })

  it('waits for no one who has expired in its place, but for who lives there', async () => {
    const conversationId = uuid7()
    const old = await tl().sessions.create({ userId: 'ada', conversationId, expiresAt: '2020-01-01' })
    expect(await outcomeOf(blockOf(uuid7(), logOf(1, { conversationId })))).toMatchObject({ became: 'created' })
    expect((await old.record()).status).toMatchObject({ state: 'aborted' })
    expect(await outcomeOf(blockOf(uuid7(), logOf(1, { conversationId })))).toMatchObject({ code: 'SESSION_ACTIVE' })
  })

  it('tells the cache of an envelope that it changed, and the index of a session that is there', async () => {
    const [told, read]: [unknown[], unknown[]] = [[], []]
    const cache = { wrote: async (id: string, { version }: { version: number }) => void told.push([id, version]) }
    const background = { wrote: (id: string, milestone: boolean) => void read.push([id, milestone]) }
    const here = { ...deps, cache: cache as unknown as EnvelopeCache, background: background as never }
    const id = uuid7()
    const log = [...logOf(2), event(3, 'envelope_updated', { personaId: 'p' }), event(4, 'user_message')]
    await outcomeOf(blockOf(id, log.slice(0, 2), false), here)
    expect([told, read]).toEqual([[], []])
    await outcomeOf(blockOf(id, log.slice(0, 3)), here)
    await outcomeOf(blockOf(id, log), here)
    await outcomeOf(
      blockOf(id, [...log, event(5, 'status_changed', { status: { state: 'aborted', reason: 'r' } })]),
      here,
    )
    expect(told).toEqual([[id, 3]])
    expect(read).toEqual([
      [id, false],
      [id, false],
      [id, true],
    ])
  })
})

describe('the owner', () => {
  it('is kept by everyone who may import', async () => {
    const acme = { ...deps, within: { tenant: 'acme' } }
    const [own, other] = [uuid7(), uuid7()]
    expect(await outcomeOf(blockOf(own, logOf(2, { tenant: 'acme', userId: 'eve' })), acme)).toMatchObject({
      became: 'created',
    })
    expect(await outcomeOf(blockOf(other, logOf(2)), acme)).toMatchObject({
      message: 'events[0].parts.tenant: must be your own',
    })
    const log = logOf(2)
    await outcomeOf(blockOf(other, log))
    const nobody = {
      sessionId: other,
      code: 'IMPORT_CONFLICT',
      message: expect.stringContaining('another tenant or user'),
    }
    expect(await outcomeOf(blockOf(other, logOf(2, { tenant: 'acme' })), acme)).toEqual(nobody)
    expect(await outcomeOf(blockOf(other, [...log, event(3, 'user_message')].slice(2)), acme)).toEqual(nobody)
    expect(await outcomeOf(blockOf(own, logOf(3)))).toEqual({ ...nobody, sessionId: own })
    for (const within of [
      { tenant: 'acme', userId: 'eve' },
      { tenant: 'local', userId: 'ada' },
    ]) {
      await expect(importBlocks({ ...deps, within }, [blockOf(uuid7(), log)])).rejects.toMatchObject({
        code: 'VALIDATION',
        field: 'principal',
      })
    }
  })
})

describe('what is wrong in a block', () => {
  const id = uuid7()
  const [first] = logOf(1) as [ExportedEvent]
  const given = first.parts as Record<string, Json>
  const say = (more: object) => [first, { ...event(2, 'user_message'), ...more }]
  const record = (type: string, parts?: unknown) => [first, event(2, type, parts)]
  const begin = (more: object, drop = '') => {
    const { [drop]: _dropped, ...rest } = { ...given, ...more } as Record<string, Json>
    return [{ ...first, parts: rest }]
  }
  const commit = {
    id: uuid7(),
    position: 1,
    kind: 'normal',
    decisions: [],
    filesRead: [],
    filesWritten: [],
    commands: [],
    openQuestions: [],
  }

  it.each<[what: string, events: unknown, field: string]>([
    ['no list', 'events', 'events'],
    ['an empty list', [], 'events'],
    ['a field that is not known', say({ sessionId: id }), 'events[1].sessionId'],
    ['an id in upper case', say({ id: uuid7().toUpperCase() }), 'events[1].id'],
    ['an id that is none', say({ id: '7' }), 'events[1].id'],
    ['an unknown type', say({ type: 'user_massage' }), 'events[1].type'],
    ['a custom type with a blank', say({ type: 'x.a b' }), 'events[1].type'],
    ['a type every object has', say({ type: 'toString' }), 'events[1].type'],
    ['a role of no one', say({ role: 'model' }), 'events[1].role'],
    ['content with NUL', say({ content: '\0' }), 'events[1].content'],
    ['content with a lone surrogate', say({ content: '\ud800' }), 'events[1].content'],
    ['content beyond the limit', say({ content: 'x'.repeat(LIMITS.content + 1) }), 'events[1].content'],
    ['parts with NUL', say({ parts: { a: ['\0'] } }), 'events[1].parts.a[0]'],
    ['parts with __proto__', say({ parts: JSON.parse('{"a":{"__proto__":1}}') }), 'events[1].parts.a'],
    ['parts with 50,001 items', say({ parts: { a: Array(LIMITS.members).fill(0) } }), 'events[1].parts'],
    [
      'a message with 1,001 calls',
      say({ type: 'model_message', parts: { toolCalls: Array(LIMITS.calls + 1).fill({ id: 'a' }) } }),
      'events[1].parts.toolCalls',
    ],
    ['an empty agent', say({ agentId: '' }), 'events[1].agentId'],
    ['a time of the caller that is none', say({ occurredAt: 'noon' }), 'events[1].occurredAt'],
    ['a time without milliseconds', say({ createdAt: '2026-03-01T12:00:00Z' }), 'events[1].createdAt'],
    ['a time elsewhere', say({ createdAt: '2026-03-01T12:00:00.000+01:00' }), 'events[1].createdAt'],
    ['a time beyond the year 9999', say({ createdAt: '+010000-01-01T00:00:00.000Z' }), 'events[1].createdAt'],
    ['a time before all of ours', say({ createdAt: '1969-12-31T23:59:59.999Z' }), 'events[1].createdAt'],
    ['a time of the year 0', say({ createdAt: '0000-01-01T00:00:00.000Z' }), 'events[1].createdAt'],
    ['a time after all of ours', say({ createdAt: '3000-01-01T00:00:00.000Z' }), 'events[1].createdAt'],
    ['a day that is none', say({ createdAt: '2026-02-30T12:00:00.000Z' }), 'events[1].createdAt'],
    ['a sequence of 0', [{ ...first, sequence: 0 }], 'events[0].sequence'],
    ['a gap', say({ sequence: 3 }), 'events[1].sequence'],
    ['the same sequence twice', say({ sequence: 1 }), 'events[1].sequence'],
    ['a first event of another type', [event(1, 'user_message')], 'events[0].type'],
    ['a second beginning', [first, { ...first, sequence: 2 }], 'events[1].type'],
    ['no tenant', begin({}, 'tenant'), 'events[0].parts.tenant'],
    ['no user', begin({ userId: '' }), 'events[0].parts.userId'],
    ['no agent', begin({}, 'agent'), 'events[0].parts.agent'],
    ['no conversation', begin({ conversationId: 7 }), 'events[0].parts.conversationId'],
    ['no metadata', begin({}, 'metadata'), 'events[0].parts.metadata'],
    ['metadata that is a list', begin({ metadata: [] }), 'events[0].parts.metadata'],
    ['metadata beyond the limit', begin({ metadata: { a: 'x'.repeat(LIMITS.metadata) } }), 'metadata'],
    ['another id in the beginning', begin({ id: uuid7() }), 'events[0].parts.id'],
    ['an end in the beginning', begin({ endedAt: AT }), 'events[0].parts.endedAt'],
    ['an end that is no time', begin({ expiresAt: 'soon' }), 'events[0].parts.expiresAt'],
    ['an end in the year 0', begin({ expiresAt: '0000-12-31T23:59:59.999Z' }), 'events[0].parts.expiresAt'],
    ['a status that is none', record('status_changed', { status: { state: 'lost' } }), 'events[1].parts.status.state'],
    ['a status without parts', record('status_changed'), 'events[1].parts'],
    [
      'a question that is none',
      record('status_changed', { status: { state: 'awaiting_user', question: 7, askedAt: AT } }),
      'events[1].parts.status.question',
    ],
    [
      'a fork of another user',
      record('session_forked', {
        from: { sessionId: id, sequence: 1 },
        conversationId: 'c',
        chatmode: 'd',
        metadata: {},
        userId: 'eve',
      }),
      'events[1].parts.userId',
    ],
    [
      'a fork from nowhere',
      record('session_forked', { conversationId: 'c', chatmode: 'd', metadata: {} }),
      'events[1].parts.from',
    ],
    [
      'a question of another age',
      record('status_changed', {
        status: { state: 'awaiting_user', question: '', askedAt: AT.replace('2026', '9999') },
      }),
      'events[1].parts.status.askedAt',
    ],
    ['a change that is none', record('state_changed', { op: 'drop' }), 'events[1].parts.op'],
    ['a patch that is none', record('state_changed', { op: 'merge', patch: [] }), 'events[1].parts.patch'],
    ['a number that is none', record('state_changed', { op: 'increment', key: 'a', by: '1' }), 'events[1].parts.by'],
    [
      'a typed key of another kind',
      record('state_changed', { op: 'merge', patch: { blockers: 7 } }),
      'scratchpad.blockers',
    ],
    [
      'a scratchpad beyond the limit',
      record('state_changed', { op: 'replace', value: { a: 'x'.repeat(LIMITS.scratchpad) } }),
      'scratchpad',
    ],
    ['an agent that is none', record('agent_changed', { from: 'coach', to: '' }), 'events[1].parts.to'],
    [
      'a handoff of no kind',
      record('agent_transition', { from: 'a', to: 'b', context: { artifacts_created: 7 } }),
      'scratchpad.handoff_context',
    ],
    [
      'work without an id',
      record('work_committed', { parents: [], kind: 'step', observations: [], state: 'running' }),
      'events[1].parts.id',
    ],
    ['a commit at no position', record('session_compacted', { ...commit, position: 0 }), 'events[1].parts.position'],
    [
      'a commit at a position beyond the limit',
      record('session_compacted', { ...commit, position: 1_000_000_001 }),
      'events[1].parts.position',
    ],
    ['a commit with an id of its own', record('session_compacted', { ...commit, id: 'c1' }), 'events[1].parts.id'],
    [
      'a commit of things that are none',
      record('session_compacted', { ...commit, decisions: [7] }),
      'events[1].parts.decisions[0]',
    ],
    ['a summary of no range', record('context_summarized', { hash: 'h' }), 'events[1].parts.range'],
    ['an envelope with a tenant', record('envelope_updated', { tenant: 'acme' }), 'events[1].parts.tenant'],
    [
      'an analysis of no kind',
      record('envelope_updated', { analysis: { tags: 'x' } }),
      'events[1].parts.analysis.tags',
    ],
    ['a persona that is none', record('envelope_updated', { personaId: 7 }), 'events[1].parts.personaId'],
  ])('%s is refused by its field, and nothing is written', async (_what, events, field) => {
    const outcome = await outcomeOf({ sessionId: id, events, done: true })
    expect(outcome).toMatchObject({ sessionId: id, code: expect.stringMatching(/^(VALIDATION|TOO_LARGE)$/) })
    expect((outcome as { message: string }).message).toContain(`${field}: `)
    expect(await deps.store.imports.find(id)).toBeUndefined()
  })

  it.each<[unknown]>([
    [undefined],
    [null],
    [7],
    [[]],
    [{}],
    [{ sessionId: 7 }],
    [{ ...blockOf('x', [first]) }],
    [{ ...blockOf(id, [first]), done: 1 }],
    [{ ...blockOf(id, [first]), more: 1 }],
  ])('is refused alone: %j', async (block) => {
    const good = uuid7()
    const outcomes = await importBlocks(deps, [block, blockOf(good, logOf(1))])
    expect(outcomes).toMatchObject([{ code: 'VALIDATION' }, { sessionId: good, became: 'created' }])
  })

  it('is refused as a whole where it is no batch', async () => {
    for (const blocks of [[], 'blocks', undefined, Array(101).fill(blockOf(id, [first]))]) {
      await expect(importBlocks(deps, blocks as never)).rejects.toMatchObject({ code: 'VALIDATION' })
    }
  })

  it('does not come through by pieces: many small changes together keep to the limits too', async () => {
    const big = 'x'.repeat(LIMITS.scratchpad / 2)
    const log = [first, ...[2, 3].map((n) => event(n, 'state_changed', { op: 'merge', patch: { [`key${n}`]: big } }))]
    const report = await importSessions(deps, [blockOf(id, log.slice(0, 2), false), blockOf(id, log.slice(2))])
    expect(report).toMatchObject({ sessions: 0, refused: [{ sessionId: id, code: 'TOO_LARGE' }] })
    const much = record('state_changed', { op: 'increment', key: 'a', by: 1e308 })
    const infinite = await outcomeOf(
      blockOf(uuid7(), [...much, event(3, 'state_changed', { op: 'increment', key: 'a', by: 1e308 })] as never),
    )
    expect(infinite).toMatchObject({ code: 'VALIDATION', message: expect.stringContaining('scratchpad.a: ') })
  })
})
