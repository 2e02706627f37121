import assert from 'node:assert/strict'
import type { Session, Throughline } from '../../api.ts'
import { uuid7 } from '../../ids.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { abortedFor, expectError, fixedClock, upTo } from './samples.ts'

const childOf = (tl: Throughline, { id }: Session, given: { task?: string; userId?: string } = {}) =>
  tl.sessions.create({ userId: 'ada', parent: { sessionId: id }, ...given })

/** A31 child sessions, and lists filtered by metadata. */
export const apiChildRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A31',
    title: 'starts a child in a conversation of its own and lists it under its parent',
    async check(db) {
      const tl = await db.connect()
      const parent = await tl.sessions.create({ userId: 'ada' })
      await parent.append({ type: 'user_message', content: 'look it up' })
      const link = { sessionId: parent.id, sequence: 2 }
      const id = uuid7()
      const child = await tl.sessions.create({
        userId: 'ada',
        id,
        parent: { ...link, sessionId: link.sessionId.toUpperCase() },
      })
      assert.equal((await tl.sessions.create({ userId: 'ada', id, parent: link })).id, child.id)
      const record = await child.record()
      assert.deepEqual(record.parent, link)
      assert.notEqual(record.conversationId, (await parent.record()).conversationId)
      const below = await childOf(tl, child)
      assert.deepEqual((await tl.sessions.list({ parent: parent.id })).items, [record])
      assert.deepEqual((await tl.sessions.list({ parent: uuid7() })).items, [])
      assert.deepEqual((await child.at(1)).record.parent, link)
      assert.equal((await tl.sessions.active({ userId: 'ada' }))?.id, parent.id)
      assert.equal((await tl.sessions.getOrCreate({ userId: 'ada' })).id, parent.id)
      assert.equal((await child.fork().then((fork) => fork.record())).parent, undefined)
      assert.deepEqual((await tl.verify(below.id)).differences, [])
    },
  },
  {
    id: 'A31',
    title: 'refuses a parent of someone else as missing, one that ended, and a sequence it does not have',
    async check(db) {
      const tl = await db.connect()
      const bobs = await tl.sessions.create({ userId: 'bob' })
      const parent = await tl.sessions.create({ userId: 'ada' })
      const id = uuid7()
      const start = (sessionId: string, sequence = 1) =>
        tl.sessions.create({ userId: 'ada', id, parent: { sessionId, sequence } })
      assert.equal((await expectError('SESSION_NOT_FOUND', start(bobs.id))).details.sessionId, bobs.id)
      await expectError('SESSION_NOT_FOUND', start(uuid7()))
      assert.equal((await expectError('VALIDATION', start(parent.id, 2))).field, 'parent.sequence')
      assert.equal((await expectError('VALIDATION', start(parent.id, 0))).field, 'parent.sequence')
      assert.equal((await expectError('VALIDATION', start('x'))).field, 'parent.sessionId')
      await parent.end()
      assert.equal((await expectError('SESSION_ENDED', start(parent.id))).details.sessionId, parent.id)
      await expectError('SESSION_NOT_FOUND', tl.sessions.get(id))
    },
  },
  {
    id: 'A31',
    title: 'getOrCreate reuses the child of a conversation, and no session of another parent',
    async check(db) {
      const tl = await db.connect()
      const parent = await tl.sessions.create({ userId: 'ada' })
      const given = { userId: 'ada', conversationId: 'helper', parent: { sessionId: parent.id } }
      const child = await tl.sessions.getOrCreate(given)
      assert.equal((await tl.sessions.getOrCreate(given)).id, child.id)
      const other = await tl.sessions.create({ userId: 'ada' })
      const elsewhere = { ...given, parent: { sessionId: other.id } }
      assert.equal(
        (await expectError('SESSION_ACTIVE', tl.sessions.getOrCreate(elsewhere))).details.sessionId,
        child.id,
      )
      const { conversationId: _none, ...without } = given
      assert.equal((await expectError('VALIDATION', tl.sessions.getOrCreate(without))).field, 'conversationId')
    },
  },
  {
    id: 'A31',
    title: 'ends live children with their parent, and those below them',
    async check(db) {
      const tl = await db.connect()
      const ways: ((parent: Session) => Promise<unknown>)[] = [
        (parent) => parent.end(),
        (parent) => parent.abort('enough'),
        async (parent) => {
          await parent.propose('done')
          await parent.confirm()
        },
      ]
      for (const finish of ways) {
        const parent = await tl.sessions.create({ userId: 'ada' })
        const child = await childOf(tl, parent, { task: 'search' })
        const below = await childOf(tl, child)
        const done = await childOf(tl, parent)
        await done.end()
        const bystander = await tl.sessions.create({ userId: 'ada' })
        await finish(parent)
        assert.deepEqual((await child.record()).status, abortedFor('parent_ended'))
        assert.deepEqual((await below.record()).status, abortedFor('parent_ended'))
        assert.deepEqual((await done.record()).status, { state: 'complete', endedBy: 'caller' })
        assert.deepEqual((await bystander.record()).status, { state: 'running' })
        await bystander.end()
      }
    },
  },
  {
    id: 'A31',
    title: 'a sweep ends the children of a stale session and makes their commits',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock, policy: { staleTimeoutMs: 1000 } })
      const parent = await tl.sessions.create({ userId: 'ada' })
      const child = await childOf(tl, parent)
      clock.advance(500)
      await child.append({ type: 'user_message', content: 'still here' })
      clock.advance(900)
      await tl.sweep()
      assert.deepEqual((await child.record()).status, abortedFor('parent_ended'))
      const { conversationId } = await child.record()
      const { items } = await tl.conversations.commits(conversationId)
      assert.deepEqual(
        items.map(({ sessionId }) => sessionId),
        [child.id],
      )
    },
  },
  {
    id: 'A31',
    title: 'puts the summaries of ended children into the context of their parent, late and on request',
    async check(db) {
      const tl = await db.connect()
      const parent = await tl.sessions.create({ userId: 'ada', conversationId: 'c' })
      await parent.append({ type: 'user_message', content: 'look it up' })
      const separate = await childOf(tl, parent, { task: 'Search the web' })
      const scope = { userId: 'ada', conversationId: 'c', chatmode: 'search' }
      const within = await tl.sessions.create({ ...scope, parent: { sessionId: parent.id }, task: 'Search the files' })
      for (const child of [separate, within]) {
        await child.end()
        await child.compact(`Found by ${child.id}`)
      }
      await childOf(tl, parent, { task: 'Still running' })
      const plain = await parent.context({ maxTokens: 2000 })
      assert.deepEqual(
        plain.messages.map(({ content }) => content),
        ['look it up'],
      )
      const { messages, sections } = await parent.context({ maxTokens: 2000, children: true })
      const [summaries, last] = messages.map(({ content }) => content)
      // children of the same millisecond have any order
      for (const text of ['Search the web', 'Search the files', separate.id, within.id])
        assert(summaries?.includes(text))
      assert(!summaries?.includes('Still running'))
      assert.deepEqual([last, sections.map(({ section }) => section)], ['look it up', ['window', 'children']])
      const tight = await parent.context({ maxTokens: 0, children: true })
      assert.deepEqual(tight.omitted[0], { section: 'children', count: 2, reason: 'budget' })
    },
  },
  {
    id: 'A31',
    title: 'purges children with their parent, with their part in memories',
    async check(db) {
      const tl = await db.connect()
      const parent = await tl.sessions.create({ userId: 'ada' })
      const child = await childOf(tl, parent)
      const below = await childOf(tl, child)
      await below.append({ type: 'user_message', content: 'I like tea' })
      const memory = { userId: 'ada', content: 'likes tea', source: { sessionId: below.id } }
      await tl.memories.remember(memory)
      const receipt = await tl.sessions.purge(parent.id)
      assert.deepEqual([receipt.sessions, receipt.events, receipt.memories], [3, 4, 1])
      for (const { id } of [parent, child, below]) await expectError('SESSION_NOT_FOUND', tl.sessions.get(id))
      const two = await tl.sessions.create({ userId: 'ada' })
      await childOf(tl, two)
      assert.equal((await tl.users.purge('ada')).sessions, 2)
    },
  },
  {
    id: 'A31',
    title: 'exports and imports the link to the parent, whichever comes first',
    async check(db) {
      const tl = await db.connect()
      const parent = await tl.sessions.create({ userId: 'ada', metadata: { project: 'x' } })
      const child = await childOf(tl, parent)
      const lines = []
      for await (const block of tl.export()) lines.push(block)
      await tl.users.purge('ada')
      for (const line of lines.toReversed()) await tl.import([line])
      assert.deepEqual(
        (await tl.sessions.list({ parent: parent.id })).items.map(({ id }) => id),
        [child.id],
      )
      assert.deepEqual(
        (await tl.sessions.list({ metadata: { project: 'x' } })).items.map(({ id }) => id),
        [parent.id],
      )
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A31',
    title: 'lists sessions by members of their metadata, page by page',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const ids: string[] = []
      for (const n of upTo(6)) {
        clock.advance(1000)
        const metadata = { project: n % 2 === 0 ? 'x' : 'y', n, done: n === 6, parts: [1], gone: null }
        const session = await tl.sessions.create({ userId: n > 3 ? 'bob' : 'ada', metadata })
        ids.unshift(session.id)
      }
      const [six = '', , four = '', , two = ''] = ids
      const list = async (query: Parameters<typeof tl.sessions.list>[0]) =>
        (await tl.sessions.list(query)).items.map(({ id }) => id)
      assert.deepEqual(await list({ metadata: { project: 'x' } }), [six, four, two])
      assert.deepEqual(await list({ metadata: { project: 'x', done: true } }), [six])
      assert.deepEqual(await list({ metadata: { project: 'x', gone: null }, userId: 'ada' }), [two])
      assert.deepEqual(await list({ metadata: { project: 'x' }, userId: 'bob', limit: 1 }), [six])
      assert.deepEqual(await list({ metadata: { n: '4' } }), [])
      const first = await tl.sessions.list({ metadata: { project: 'x' }, limit: 2 })
      assert.deepEqual(
        first.items.map(({ id }) => id),
        [six, four],
      )
      assert(first.nextCursor)
      assert.deepEqual(await list({ metadata: { project: 'x' }, limit: 2, cursor: first.nextCursor }), [two])
      const session = await tl.sessions.get(two)
      await session.updateEnvelope({ metadata: { project: 'z' } })
      assert.deepEqual(await list({ metadata: { project: 'z' } }), [two])
      assert.deepEqual(await list({ metadata: { project: 'x' } }), [six, four])
      for (const metadata of [{}, { a: [1] }, { a: 'x'.repeat(300) }]) {
        await expectError('VALIDATION', tl.sessions.list({ metadata: metadata as never }))
      }
    },
  },
]
