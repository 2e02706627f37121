import assert from 'node:assert/strict'
import type { ExportedEvent, ImportReport, SessionBlock, Throughline } from '../../api.ts'
import { ImportConflictError } from '../../domain/errors.ts'
import { uuid7 } from '../../ids.ts'
import { open } from '../../open/open.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, type FixedClock, fixedClock, upTo } from './samples.ts'

const LONG = 1203

/** Varied sessions: several owners, forks, commits of one conversation, live and ended, long and short. */
async function fill(tl: Throughline, clock: FixedClock): Promise<void> {
  const conversationId = uuid7()
  for (const task of ['Tea', 'Coffee']) {
    const session = await tl.sessions.create({ userId: 'ada', conversationId, task, metadata: { z: 1, '7': -0 } })
    await session.append([
      { type: 'user_message', content: `Make ${task}\u2028now`, occurredAt: '2026-01-31T09:30' },
      { type: 'tool_call', parts: { id: 'c1', name: 'boil', arguments: { b: 1, a: [1e21, -0] } }, agentId: 'cook' },
      { type: 'tool_result', parts: { toolCallId: 'c1' } },
      { type: 'x.own', parts: null },
    ])
    clock.advance(1000)
    session.observe.note(`Decision: green ${task}`)
    session.observe.fileWrite({ path: 'cup.txt', content: task })
    await session.ask('How strong?')
    await session.answer('Very')
    await session.updateState({ blockers: ['kettle'], deep: { a: [null, 0.1] } })
    await session.incrementState('cups')
    await session.passGate(1)
    await session.handoff({ to: 'motivator', reason: 'It is time', context: { note: 'hot' } })
    await session.updateEnvelope({ personaId: 'host', metadata: { z: null, y: 2 }, analysis: { tags: ['hot'] } })
    clock.advance(1000)
    await session.clear()
    await session.propose(`${task} is ready`)
    await session.confirm()
    if (task === 'Coffee') await (await session.fork({ at: 4 })).setActiveAgent('motivator')
    if (task === 'Tea') await (await session.fork()).append({ type: 'user_message', content: 'Once more' })
  }
  await tl.sessions.create({ userId: 'bob', tenant: 'acme', expiresAt: '2027-01-01', workflow: 'w', gitBranch: 'main' })
  const long = await tl.sessions.create({ userId: 'eve', tenant: 'acme' })
  const messages = upTo(LONG - 1).map((n) => ({ type: 'user_message', content: `message ${n}` }) as const)
  await long.append(messages.slice(0, 1000))
  await long.append(messages.slice(1000))
}

/** All blocks of an export. */
export async function exportBlocks(
  tl: Throughline,
  options?: Parameters<Throughline['export']>[0],
): Promise<SessionBlock[]> {
  const blocks: SessionBlock[] = []
  for await (const block of tl.export(options)) blocks.push(block)
  return blocks
}

/** All blocks joined to one text. */
export const textOf = (blocks: readonly SessionBlock[]) =>
  JSON.stringify(blocks.flatMap(({ sessionId, events }) => events.map((event) => [sessionId, Object.entries(event)])))

/** Everything the API shows of every session. */
async function viewsOf(tl: Throughline): Promise<unknown[]> {
  const ids = new Set((await exportBlocks(tl)).map(({ sessionId }) => sessionId))
  return await Promise.all(
    Array.from(ids, async (id) => {
      const session = await tl.sessions.get(id)
      const record = await session.record()
      const { tenant, userId, conversationId } = record
      const context = await session.context({ maxTokens: 500, record: false })
      return {
        record,
        state: await session.state(),
        envelope: await session.envelope(),
        transitions: await session.transitions(),
        graph: await session.graph({ depth: 2 }),
        progress: await session.progress(),
        commits: await tl.conversations.commits(conversationId, { tenant, userId }),
        context: context.messages,
        active: (await tl.sessions.active({ tenant, userId, conversationId }))?.id,
      }
    }),
  )
}

const NOTHING: ImportReport = { sessions: 0, created: 0, extended: 0, unchanged: 0, events: 0, refused: [] }
/** Counts the same in every store and loads no dictionary. */
export const tokenizer = { name: 'characters', count: (text: string) => text.length }

/** A second store, in memory. */
export async function openSecondStore(clock = fixedClock()): Promise<{ there: Throughline; clock: FixedClock }> {
  return { there: await open({ url: 'memory:', clock, tokenizer, index: false }), clock }
}

/** Blocks of an export that fails after `count` blocks. */
function* failAfter(blocks: readonly SessionBlock[], count: number): Generator<SessionBlock> {
  yield* blocks.slice(0, count)
  throw new Error('torn')
}

/** A29 export, A30 import. */
export const transferRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A29',
    title: 'exports whole sessions by id, in blocks that allow resuming, and only those the caller may see',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock, tokenizer })
      await fill(tl, clock)
      const blocks = await exportBlocks(tl)
      const ids = blocks.filter(({ done }) => done).map(({ sessionId }) => sessionId)
      assert.equal(ids.length, 6)
      assert.deepEqual(ids, [...ids].sort())
      assert(blocks.every(({ events }) => events.length > 0 && events.length <= 500))
      for (const id of ids) {
        const events = blocks.filter(({ sessionId }) => sessionId === id).flatMap((block) => block.events)
        assert.deepEqual(
          events.map(({ sequence }) => sequence),
          upTo(events.length),
        )
        const [first] = await (await tl.sessions.get(id)).events({ limit: 1 })
        const { checksum, ...exported } = events[0] as ExportedEvent
        assert.match(checksum ?? '', /^[0-9a-f]{56}$/)
        assert.deepEqual({ ...exported, sessionId: id }, first)
        assert.equal(textOf(await exportBlocks(tl, { sessionId: id })), textOf([{ sessionId: id, events, done: true }]))
      }
      for (const [i, { sessionId, events, done }] of blocks.entries()) {
        const after = { sessionId, sequence: events.at(-1)?.sequence ?? 0, done }
        assert.equal(textOf(await exportBlocks(tl, { after })), textOf(blocks.slice(i + 1)))
      }
      const seen: unknown[] = []
      await exportBlocks(tl, { onProgress: (progress) => seen.push(progress) })
      const events = blocks.reduce((sum, block) => sum + block.events.length, 0)
      assert.deepEqual(seen.at(-1), { sessions: 6, events, of: { sessions: 6, events } })
      const owners = async (tenant: string, userId?: string) =>
        (await exportBlocks(tl.as(userId === undefined ? { tenant } : { tenant, userId }))).filter(({ done }) => done)
          .length
      assert.deepEqual([await owners('acme'), await owners('acme', 'eve'), await owners('local', 'eve')], [2, 1, 0])
      await expectError('SESSION_NOT_FOUND', exportBlocks(tl, { sessionId: uuid7() }))
      await expectError('SESSION_NOT_FOUND', exportBlocks(tl.as({ tenant: 'acme' }), { sessionId: ids[0] ?? '' }))
      await expectError('VALIDATION', exportBlocks(tl, { after: { sessionId: 'a', sequence: 1, done: true } }))
      // a reader may stop early
      for await (const block of tl.export()) {
        assert.equal(block.sessionId, ids[0])
        break
      }
    },
  },
  {
    id: 'A30',
    title: 'an imported session equals one written here, and exports again unchanged',
    async check(db) {
      const { there, clock } = await openSecondStore()
      const tl = await db.connect({ clock, tokenizer })
      await fill(there, clock)
      const blocks = await exportBlocks(there)
      const events = blocks.reduce((sum, block) => sum + block.events.length, 0)
      const seen: unknown[] = []
      const report = await tl.import(there.export(), { onProgress: (progress) => seen.push(progress) })
      assert.deepEqual(report, { ...NOTHING, sessions: 6, created: 6, events })
      assert.deepEqual(seen.at(-1), { sessions: 6, events })
      assert.equal(textOf(await exportBlocks(tl)), textOf(blocks))
      assert.deepEqual(await viewsOf(tl), await viewsOf(there))
      assert.deepEqual((await tl.verify()).differences, [])
      // importing twice changes nothing
      assert.deepEqual(await tl.import(blocks), { ...NOTHING, sessions: 6, unchanged: 6 })
      // recall finds imported messages
      await tl.index()
      const { items } = await tl.recall({ userId: 'eve', tenant: 'acme', query: 'message 777' })
      assert(items.some(({ content }) => content === 'message 777'))
      // both sessions continue, there and then here
      const grown = [...blocks].filter(({ done }) => done).at(-1)?.sessionId ?? ''
      await (await there.sessions.get(grown)).append({ type: 'user_message', content: 'On it goes' })
      assert.deepEqual(await tl.import(there.export()), {
        ...NOTHING,
        sessions: 6,
        unchanged: 5,
        extended: 1,
        events: 1,
      })
      assert.equal(textOf(await exportBlocks(tl)), textOf(await exportBlocks(there)))
      assert.deepEqual(await viewsOf(tl), await viewsOf(there))
      const session = await tl.sessions.get(grown)
      const before = await session.record()
      const [added] = await session.append({ type: 'user_message', content: 'And here' })
      assert.equal(added?.sequence, before.head + 1)
      // the session here is longer than the export: it stays
      assert.deepEqual(await tl.import(there.export()), { ...NOTHING, sessions: 6, unchanged: 6 })
      assert.equal((await there.import(tl.export())).extended, 1)
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A30',
    title: 'rejects sessions that differ, conflict or are invalid, and imports the others',
    async check(db) {
      const { there, clock } = await openSecondStore()
      const tl = await db.connect({ clock, tokenizer })
      const create = (id: string, more: object = {}) => there.sessions.create({ userId: 'ada', id, ...more })
      const [parted, blocked, chained, owned, wrong, fine] = upTo(6).map(() => uuid7()) as [
        string,
        string,
        string,
        string,
        string,
        string,
      ]
      const conversationId = uuid7()
      for (const id of [parted, fine, wrong])
        await (await create(id)).append({ type: 'user_message', content: 'hello' })
      await tl.import(there.export({ sessionId: parted }))
      for (const here of [tl, there]) {
        await (await here.sessions.get(parted)).append({ type: 'user_message', content: 'apart from here' })
      }
      await create(blocked, { conversationId: 'busy' })
      const living = await tl.sessions.create({ userId: 'ada', conversationId: 'busy' })
      const done = await create(chained, { conversationId })
      await done.end()
      await done.compact('theirs')
      const own = await tl.sessions.create({ userId: 'ada', conversationId })
      await own.end()
      await own.compact('ours')
      await create(owned, { tenant: 'acme' })
      await tl.sessions.create({ userId: 'ada', tenant: 'other', id: owned })
      const blocks = (await exportBlocks(there)).map((block) =>
        block.sessionId === wrong ? { ...block, events: block.events.slice(1) } : block,
      )
      const heads = async () => (await exportBlocks(tl)).map(({ sessionId, events }) => [sessionId, events.length])
      const before = await heads()
      const report = await tl.import(blocks)
      const { refused: out, ...counts } = report
      assert.deepEqual(counts, { sessions: 1, created: 1, extended: 0, unchanged: 0, events: 2 })
      const codes = Object.fromEntries(out.map(({ sessionId, code }) => [sessionId, code]))
      assert.deepEqual(codes, {
        [parted]: 'IMPORT_CONFLICT',
        [blocked]: 'SESSION_ACTIVE',
        [chained]: 'IMPORT_CONFLICT',
        [owned]: 'IMPORT_CONFLICT',
        [wrong]: 'VALIDATION',
      })
      const says = (id: string) => out.find(({ sessionId }) => sessionId === id)?.message ?? ''
      const conflict = (...[details]: ConstructorParameters<typeof ImportConflictError>) =>
        assert.equal(says(details.sessionId), new ImportConflictError(details).message)
      conflict({ sessionId: parted, reason: 'event', sequence: 3 })
      conflict({ sessionId: chained, reason: 'commit' })
      conflict({ sessionId: owned, reason: 'owner' })
      assert.match(says(blocked), new RegExp(living.id))
      assert.deepEqual(
        (await heads()).filter(([id]) => id !== fine),
        before,
      )
      assert.deepEqual((await tl.verify()).differences, [])
      // once the conflict is gone, it is imported
      await living.end()
      assert.equal((await tl.import(there.export({ sessionId: blocked }))).created, 1)
    },
  },
  {
    id: 'A30',
    title: 'is allowed for the operator, or for a whole tenant and its own sessions',
    async check(db) {
      const { there, clock } = await openSecondStore()
      const tl = await db.connect({ clock, tokenizer })
      await fill(there, clock)
      for (const principal of [
        { tenant: 'acme', userId: 'eve' },
        { tenant: 'local', userId: 'ada' },
      ]) {
        const error = await expectError('VALIDATION', tl.as(principal).import(there.export()))
        assert.equal(error.field, 'principal')
      }
      assert.deepEqual(await exportBlocks(tl), [])
      const acme = await tl.as({ tenant: 'acme' }).import(there.export())
      assert.deepEqual([acme.created, acme.refused.length], [2, 4])
      assert(acme.refused.every(({ code, message }) => code === 'VALIDATION' && /tenant/.test(message)))
      assert.equal(textOf(await exportBlocks(tl)), textOf(await exportBlocks(there.as({ tenant: 'acme' }))))
      assert.equal((await tl.import(there.export())).created, 4)
      // a session of another tenant is neither visible nor changed
      const theirs = await tl.as({ tenant: 'other' }).import(there.export())
      assert.deepEqual([theirs.sessions, theirs.refused.length], [0, 6])
    },
  },
  {
    id: 'A30',
    title: 'a partly imported session is invisible, and the next import continues after its last block',
    async check(db) {
      const { there, clock } = await openSecondStore()
      const tl = await db.connect({ clock, tokenizer })
      const [short, long] = [uuid7(), uuid7()].sort() as [string, string]
      await there.sessions.create({ userId: 'ada', id: short })
      const session = await there.sessions.create({ userId: 'ada', id: long, conversationId: 'c' })
      for (const n of upTo(3)) await session.append(upTo(400).map((m) => ({ type: 'x.tick', parts: [n, m] }) as const))
      const blocks = await exportBlocks(there)
      const count = blocks.findIndex(({ sessionId, done }) => sessionId === long && !done) + 1
      await assert.rejects(tl.import(failAfter(blocks, count)), { message: 'torn' })
      // complete sessions are imported
      assert.deepEqual(
        (await exportBlocks(tl)).map(({ sessionId }) => sessionId),
        [short],
      )
      await expectError('SESSION_NOT_FOUND', tl.sessions.get(long))
      assert.deepEqual((await tl.sessions.list({ userId: 'ada' })).items.length, 1)
      await expectError('IDEMPOTENCY_MISMATCH', tl.sessions.create({ userId: 'ada', id: long }))
      assert.equal(await tl.sessions.active({ userId: 'ada', conversationId: 'c' }), undefined)
      const report = await tl.import(there.export())
      assert.deepEqual([report.created, report.unchanged], [1, 1])
      // the first blocks are not written again
      assert(report.events > 0 && report.events < 1201)
      assert.equal(textOf(await exportBlocks(tl)), textOf(blocks))
      assert.deepEqual((await tl.verify()).differences, [])
      assert.equal((await tl.sessions.active({ userId: 'ada', conversationId: 'c' }))?.id, long)
    },
  },
  {
    id: 'A30',
    title: 'imports blocks of any size, as exported, from several concurrent importers',
    async check(db) {
      const { there, clock } = await openSecondStore()
      const tl = await db.connect({ clock, tokenizer })
      await fill(there, clock)
      const blocks = await exportBlocks(there)
      // one event per block
      const single = blocks.flatMap(({ sessionId, events, done }) =>
        events.map((event, i) => ({ sessionId, events: [event], done: done && i === events.length - 1 })),
      )
      let [given, written, most] = [0, 0, 0]
      function* counted() {
        for (const block of single) {
          given++
          most = Math.max(most, given - written)
          yield block
        }
      }
      const onProgress = ({ events }: { events: number }) => {
        written = events
      }
      assert.equal((await tl.import(counted(), { onProgress })).created, 6)
      // one batch being filled and two in flight
      assert(most <= 301, `${most} blocks were taken and not yet written`)
      assert.equal(textOf(await exportBlocks(tl)), textOf(blocks))
      for (const { sessionId } of blocks.filter(({ done }) => done)) await tl.sessions.purge(sessionId)
      // one block per session, from three importers
      const whole = [...new Set(blocks.map(({ sessionId }) => sessionId))].map((sessionId) => ({
        sessionId,
        events: blocks.filter((block) => block.sessionId === sessionId).flatMap(({ events }) => events),
        done: true,
      }))
      const reports = await Promise.all([whole, whole, whole.toReversed()].map((each) => tl.import(each)))
      for (const { sessions, refused: out } of reports) assert.deepEqual([sessions, out], [6, []])
      assert.equal(
        reports.reduce((sum, { created }) => sum + created, 0),
        6,
      )
      assert.equal(textOf(await exportBlocks(tl)), textOf(blocks))
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
]
