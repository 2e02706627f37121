import assert from 'node:assert/strict'
import type { Session } from '../../api.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { abortedFor, expectError, fixedClock, NOON, noonPlus, upTo } from './samples.ts'

const hello = { type: 'user_message', content: 'hello' } as const
const HASH = /^[0-9a-f]{64}$/

/** Observations of every kind, not yet flushed. */
function work(session: Session): void {
  session.observe.note('Decision: use jitter')
  session.observe.plan('First the tests')
  session.observe.fileRead({ path: 'a.ts' })
  session.observe.fileWrite({ path: 'a.ts', content: 'one' })
  session.observe.fileWrite({ path: 'a.ts', content: 'two' })
  session.observe.command({ command: 'npm test', exitCode: 1, output: 'x'.repeat(20_000) })
  session.observe.command({ command: 'npm test', exitCode: 0 })
  session.observe.relations([
    { from: 'file:a.ts', label: 'imports', to: 'module:b', evidence: { tool: 'tsc', confidence: 0.9 } },
    { from: 'module:b', label: 'defines', to: 'item:retry' },
  ])
}

/** A18 work, the graph and progress. A19 compaction. */
export const apiWorkRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A18',
    title: 'buffers observations in the process until a step stores them as one work commit',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', task: 'Retry' })
      assert.equal(await session.flushStep(), undefined)
      work(session)
      assert.equal((await session.record()).head, 1)
      const same = await tl.sessions.get(session.id)
      const step = await same.flushStep()
      assert.deepEqual(
        [step?.sequence, step?.kind, step?.parents, step?.state, step?.task, step?.observations.length],
        [2, 'step', [], 'running', 'Retry', 8],
      )
      const output = step?.observations.find((one) => one.kind === 'command')
      assert.equal(output?.kind === 'command' && output.output?.length, 16_384)
      assert.equal(await session.flushStep(), undefined)
      session.observe.note('more')
      assert.deepEqual((await session.flushStep())?.parents, [step?.id])
      session.observe.note('with the end')
      await session.end()
      assert.equal((await session.events({ types: ['work_committed'] })).length, 3)
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A18',
    title: 'rejects invalid observations, and keeps the buffer if a step fails',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const bad = [
        () => session.observe.note(''),
        () => session.observe.plan(1 as never),
        () => session.observe.fileRead({ path: '' }),
        () => session.observe.fileWrite({ file: 'a' } as never),
        () => session.observe.command({ command: 'a', exitCode: 1.5 }),
        () => session.observe.relations([]),
        () => session.observe.relations([{ from: 'a.ts', label: 'imports', to: 'file:b' }]),
        () => session.observe.relations([{ from: 'file:a', label: 'Not A Label', to: 'file:b' }]),
        () =>
          session.observe.relations([{ from: 'file:a', label: 'imports', to: 'file:b', evidence: { confidence: 2 } }]),
      ]
      for (const call of bad) assert.throws(call, { code: 'VALIDATION' })
      const output = 'x'.repeat(16_384)
      assert.throws(
        () => {
          for (;;) session.observe.command({ command: 'noise', output })
        },
        { code: 'TOO_LARGE', field: 'observe' },
      )
      assert((await session.flushStep())?.observations.length)
      session.observe.note('kept')
      await expectError('INVALID_TRANSITION', session.confirm())
      const step = await session.flushStep()
      assert.equal(step?.observations.length, 1)
    },
  },
  {
    id: 'A18',
    title: 'queries neighborhoods by depth, direction, label and limit, with the evidence of each edge',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      work(session)
      await session.flushStep()
      session.observe.relations([{ from: 'file:a.ts', label: 'imports', to: 'module:b', evidence: { tool: 'grep' } }])
      await session.flushStep()
      const out = await session.graph({ node: 'file:a.ts', direction: 'out', labels: ['imports'] })
      assert.deepEqual(out, {
        node: 'file:a.ts',
        nodes: ['file:a.ts', 'module:b'],
        edges: [
          {
            from: 'file:a.ts',
            label: 'imports',
            to: 'module:b',
            evidence: [
              { tool: 'tsc', confidence: 0.9, sequence: 2 },
              { tool: 'grep', confidence: 1, sequence: 3 },
            ],
          },
        ],
        truncated: false,
      })
      const far = await session.graph({ node: 'file:a.ts', direction: 'out', depth: 2 })
      assert(far.nodes.includes('item:retry') && far.nodes.includes('task:session'))
      const back = await session.graph({ node: 'item:retry', direction: 'in', depth: 3 })
      assert.deepEqual(back.nodes.slice(0, 3), ['item:retry', 'module:b', 'file:a.ts'])
      assert.equal((await session.graph({ node: 'item:retry', direction: 'out' })).edges.length, 0)
      const few = await session.graph({ limit: 1 })
      assert.deepEqual([few.node, few.edges.length, few.truncated], ['task:session', 1, true])
      await expectError('VALIDATION', session.graph({ node: 'nothing' }))
      await expectError('VALIDATION', session.graph({ depth: 11 }))
      const fork = await session.fork({ at: 2 })
      assert.equal((await fork.graph({ node: 'module:b', direction: 'in' })).edges[0]?.evidence.length, 1)
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A18',
    title: 'reports progress',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', task: 'Add retries' })
      work(session)
      await session.ask('Which backoff?')
      const progress = await session.progress()
      for (const part of ['Add retries', 'a.ts', 'npm test', 'Which backoff?'])
        assert(progress.includes(part), progress)
    },
  },
  {
    id: 'A19',
    title: 'commits an ended session once: summary, decisions, files, commands, range and hash',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const session = await tl.sessions.create({ userId: 'ada', task: 'Add retries', conversationId: 'c' })
      await expectError('INVALID_TRANSITION', session.compact())
      await session.append(hello)
      work(session)
      await session.ask('Which?')
      await session.answer('This')
      await session.propose('Added retries with jitter')
      await session.confirm()
      const { head } = await session.record()
      const commit = await session.compact()
      assert.deepEqual(
        { ...commit, id: '', hash: '', filesWritten: commit.filesWritten.map(({ path, bytes }) => [path, bytes]) },
        {
          id: '',
          sessionId: session.id,
          position: 1,
          kind: 'normal',
          task: 'Add retries',
          summary: commit.summary,
          summarizedBy: 'extractive',
          decisions: ['use jitter'],
          filesRead: ['a.ts'],
          filesWritten: [['a.ts', 3]],
          commands: [{ command: 'npm test', exitCode: 0 }],
          openQuestions: [],
          range: { from: 1, to: head - 1 },
          hash: '',
          at: NOON,
        },
      )
      assert.match(commit.hash ?? '', HASH)
      assert(commit.summary.includes('Added retries with jitter'))
      assert.deepEqual(await session.compact('Something else'), commit)
      assert.equal((await session.record()).head, head)
      assert.deepEqual((await tl.conversations.commits('c')).items, [commit])
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A19',
    title: 'chains the commits of a conversation, also concurrent ones, and keeps the links of purged sessions',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const other = await db.connect({ clock: fixedClock() })
      const sessions: Session[] = []
      for (const n of upTo(8)) {
        const session = await tl.sessions.create({ userId: 'ada', conversationId: 'c', chatmode: `m${n}` })
        await session.end()
        sessions.push(session)
      }
      await Promise.all(
        sessions.map(
          async (session, i) => await (await (i % 2 ? tl : other).sessions.get(session.id)).compact(`Done ${i}`),
        ),
      )
      const { items } = await tl.conversations.commits('c')
      assert.deepEqual(
        items.map(({ position }) => position),
        upTo(8),
      )
      items.forEach((commit, i) => {
        assert.equal(commit.parent, items[i - 1]?.id)
      })
      const [first, second] = items
      await tl.sessions.purge(second?.sessionId ?? '')
      const page = await tl.conversations.commits('c', { limit: 2 })
      assert.deepEqual(page.items, [
        first,
        {
          id: second?.id,
          sessionId: second?.sessionId,
          position: 2,
          at: NOON,
          purgedAt: NOON,
          kind: 'normal',
          summary: '',
          decisions: [],
          filesRead: [],
          filesWritten: [],
          commands: [],
          openQuestions: [],
        },
      ])
      const next = await tl.conversations.commits('c', { limit: 2, cursor: page.nextCursor ?? '' })
      assert.equal(next.items[0]?.position, 3)
      assert.deepEqual((await tl.conversations.commits('c', { userId: 'bob' })).items, [])
      assert.deepEqual((await tl.as({ tenant: 'acme' }).conversations.commits('c')).items, [])
    },
  },
  {
    id: 'A19',
    title: 'returns one commit to concurrent callers of compact, and rejects an empty summary',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.end()
      await expectError('VALIDATION', session.compact('  '))
      const commits = await Promise.all(upTo(10).map((n) => session.compact(`Summary ${n}`)))
      assert.equal(new Set(commits.map(({ id }) => id)).size, 1)
      assert.equal((await session.events({ types: ['session_compacted'] })).length, 1)
      await expectError('SESSION_ENDED', session.append(hello))
    },
  },
  {
    id: 'A19',
    title: 'a commit contains the reason of an abort and the open questions',
    async check(db) {
      const clock = fixedClock()
      const tl = await db.connect({ clock })
      const session = await tl.sessions.create({ userId: 'ada', task: 'Retry' })
      await session.ask('Which one?')
      clock.advance(1000)
      await session.abort('Abandoned by user')
      const commit = await session.compact()
      assert.deepEqual([commit.kind, commit.openQuestions, commit.at], ['abandoned', ['Which one?'], noonPlus(1)])
      assert(commit.summary.includes('Abandoned by user'))
      const expired = await tl.sessions.create({ userId: 'ada', expiresInMs: 1000 })
      clock.advance(1000)
      assert.equal((await expired.compact()).kind, 'stale')
      assert.deepEqual((await expired.record()).status, abortedFor('expired'))
    },
  },
]
