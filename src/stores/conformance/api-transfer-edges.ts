import assert from 'node:assert/strict'
import type { ExportedEvent, ImportReport } from '../../api.ts'
import { exportBlocks, openSecondStore, textOf, tokenizer } from './api-transfer.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, upTo } from './samples.ts'

/** Edits an exported event. */
interface Forged {
  createdAt: string
  parts: Record<string, unknown>
  checksum?: string
}

/** A30 import: partial earlier imports, and the limits of a store. */
export const transferEdgeRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A30',
    title: 'a shorter export replaces a partial import of a longer one',
    async check(db) {
      const { there, clock } = await openSecondStore()
      const tl = await db.connect({ clock, tokenizer })
      const session = await there.sessions.create({ userId: 'ada' })
      await session.append(upTo(9).map((n) => ({ type: 'user_message', content: `message ${n}` }) as const))
      const [{ sessionId, events } = { sessionId: '', events: [] }] = await exportBlocks(there)
      const block = (from: number, to: number, done: boolean) => ({ sessionId, events: events.slice(from, to), done })
      const begin = async () => assert.equal((await tl.import([block(0, 8, false)])).sessions, 0)
      const counts = (report: ImportReport) => [
        report.created,
        report.unchanged,
        report.refused.map(({ code }) => code),
      ]
      await begin()
      assert.deepEqual(counts(await tl.import([block(0, 6, true)])), [1, 0, []])
      assert.equal((await (await tl.sessions.get(sessionId)).record()).head, 6)
      await tl.sessions.purge(sessionId)
      // only its end shows that it is shorter
      await begin()
      const shorter = [block(0, 4, false), block(4, 6, true)]
      const report = await tl.import(shorter)
      assert.deepEqual(counts(report), [0, 0, ['VALIDATION']])
      assert.match(report.refused[0]?.message ?? '', /events/)
      assert.deepEqual(counts(await tl.import(shorter)), [1, 0, []])
      assert.equal((await tl.import(there.export())).extended, 1)
      assert.equal(textOf(await exportBlocks(tl)), textOf(await exportBlocks(there)))
    },
  },
  {
    id: 'A30',
    title: 'rejects only a session that some store cannot hold, and imports one that any store wrote',
    async check(db) {
      const { there, clock } = await openSecondStore()
      const tl = await db.connect({ clock, tokenizer })
      const idOf = async (more: object = {}) => (await there.sessions.create({ userId: 'ada', ...more })).id
      const [early, late, never] = [await idOf(), await idOf(), await idOf()]
      const ended = async (conversationId: string) => {
        const session = await there.sessions.create({ userId: 'ada', conversationId })
        await session.end()
        await session.compact()
        return session.id
      }
      const [last, beyond] = [await ended('c'), await ended('d')]
      for (const expiresAt of ['0001-01-01', '1969-12-31', '9999-12-31T23:59:59.999Z']) {
        // every store accepts and returns what one store accepts
        const here = await (await tl.sessions.create({ userId: 'eve', expiresAt })).record()
        const made = await (await there.sessions.get(await idOf({ expiresAt }))).record()
        assert.equal(here.expiresAt, made.expiresAt)
      }
      await expectError('VALIDATION', tl.sessions.create({ userId: 'eve', expiresAt: '0000-12-31' }))
      const blocks = await exportBlocks(there)
      const event = (id: string, type: string) => {
        const events = blocks.find(({ sessionId }) => sessionId === id)?.events ?? []
        const forged = events.find((each) => each.type === type) as unknown as Forged
        // like an older export
        delete forged.checksum
        return forged
      }
      event(early, 'session_started').createdAt = '0000-01-01T00:00:00.000Z'
      event(late, 'session_started').createdAt = '9999-12-31T23:59:59.999Z'
      event(never, 'session_started').parts['expiresAt'] = '0000-01-01T00:00:00.000Z'
      event(last, 'session_compacted').parts['position'] = 1_000_000_000
      event(beyond, 'session_compacted').parts['position'] = 2_147_483_647
      const report = await tl.import(blocks)
      assert.deepEqual(
        report.refused.map(({ sessionId, code }) => [sessionId, code]).sort(),
        [early, late, never, beyond].map((id) => [id, 'VALIDATION']).sort(),
      )
      assert.equal(report.created, blocks.length - 4)
      // the log can still grow
      const next = await tl.sessions.create({ userId: 'ada', conversationId: 'c' })
      await next.end()
      assert.equal((await next.compact()).position, 1_000_000_001)
      assert.equal((await tl.sweep()).failed, 0)
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A30',
    title: 'names an event that was changed after it was written, and makes the checksum of one without',
    async check(db) {
      const { there, clock } = await openSecondStore()
      const tl = await db.connect({ clock, tokenizer })
      const session = await there.sessions.create({ userId: 'ada' })
      const parts = { toolCallId: 'c1', '7': -0, a: [1e21, '\u2028'] }
      await session.append([
        { type: 'tool_call', parts: { id: 'c1', name: 'boil', arguments: {} }, agentId: 'cook' },
        { type: 'tool_result', content: 'ünï 漢字 😀', parts, occurredAt: '2026-01-31T09:30' },
      ])
      const [block] = await exportBlocks(there)
      assert(block)
      const imported = async (change: object) => {
        const events = block.events.map((event) => (event.sequence === 3 ? { ...event, ...change } : event))
        return await tl.import([{ ...block, events }])
      }
      const changes: Partial<ExportedEvent>[] = [
        { type: 'x.own' },
        { role: 'user' },
        { content: 'other' },
        { parts: { ...parts, a: [] } },
        { agentId: 'cook' },
        { occurredAt: '2026-01-31T09:31' },
        { checksum: '0'.repeat(56) },
      ]
      for (const change of changes) {
        const { refused } = await imported(change)
        assert.deepEqual([refused.length, refused[0]?.code], [1, 'VALIDATION'])
        assert.match(refused[0]?.message ?? '', /\b3\b/)
      }
      const { checksum: _, ...bare } = block.events[2] as ExportedEvent
      assert.equal((await tl.import([{ ...block, events: [...block.events.slice(0, 2), bare] }])).created, 1)
      assert.deepEqual((await tl.verify()).differences, [])
      await tl.sessions.purge(block.sessionId)
      assert.equal((await imported({})).created, 1)
      assert.deepEqual(await exportBlocks(tl), [block])
    },
  },
]
