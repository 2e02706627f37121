import assert from 'node:assert/strict'
import type { EventInput, Session } from '../../api.ts'
import type { Json } from '../../domain/json.ts'
import { exportBlocks } from './api-transfer.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { startWorker } from './processes.ts'
import { upTo } from './samples.ts'

/** A call with its result, as events to append. */
function used(id: string, name: string, given: Json, content = '', isError = false): EventInput[] {
  return [
    { type: 'tool_call', content: '', parts: { id, name, arguments: given } },
    { type: 'tool_result', content, parts: { toolCallId: id, ...(isError && { isError }) } },
  ]
}

const reads = (id: string, file_path: string) => used(id, 'Read', { file_path }, '1\ttext')

/** A small session of a coding agent in the folder /app. */
async function work(session: Session): Promise<void> {
  await session.append([
    { type: 'user_message', content: 'Retry failed calls' },
    {
      type: 'model_message',
      content: '',
      parts: { toolCalls: [{ id: 'a', name: 'Read', arguments: '{"file_path":"/app/a.ts"}' }] },
    },
    { type: 'tool_result', content: '1\ttext', parts: { toolCallId: 'a' } },
    ...used('b', 'Edit', { file_path: '/app/a.ts', old_string: 'x', new_string: 'y' }),
    ...used('c', 'Read', { file_path: '/app/gone.ts' }, 'File does not exist.', true),
    ...used('d', 'Bash', { command: 'npm test' }, 'Exit code 1\n1 failed', true),
    ...used('e', 'TodoWrite', {
      todos: [
        { content: 'Mend it', status: 'completed' },
        { content: 'Test it', status: 'pending' },
      ],
    }),
    ...used('f', 'mcp__files__write_file', { path: '/etc/b.conf', content: 'z' }),
    ...used('g', 'Grep', { pattern: 'x', path: '/app' }, 'a.ts'),
  ])
}

const named = async (session: Session) =>
  (await session.graph()).edges.map(({ from, label, to, evidence }) => [
    `${from} ${label} ${to}`,
    ...evidence.map(({ tool = '-', sequence }) => `${tool} ${sequence}`),
  ])

const WORK = [
  ['diagnostic:npm test derivedFrom task:session', 'Bash 10'],
  ['file:/etc/b.conf updatedIn task:session', 'mcp__files__write_file 14'],
  ['file:a.ts updatedIn task:session', 'Edit 6'],
  ['task:session references file:a.ts', 'Read 4'],
]

/** A32 work from tool calls, A9 of several processes. */
export const toolWorkRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A32',
    title: 'shows files and failed commands of tool calls in the graph, live, ended and forked',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', metadata: { cwd: '/app' } })
      assert.deepEqual(await named(session), [])
      await work(session)
      assert.deepEqual(await named(session), WORK)
      assert.deepEqual(await named(session), WORK)
      const fork = await session.fork({ at: 8 })
      const copied = WORK.slice(2)
      assert.deepEqual(await named(fork), copied)
      // a call whose result comes after a read of the graph
      const [call, result] = reads('h', '/app/c.ts') as [EventInput, EventInput]
      await session.append(call)
      assert.deepEqual(await named(session), WORK)
      await session.append(result)
      const more = [...WORK, ['task:session references file:c.ts', 'Read 18']]
      assert.deepEqual(await named(session), more)
      await session.end()
      assert.deepEqual(await named(session), more)
      await session.compact()
      assert.deepEqual(await named(await tl.sessions.get(session.id)), more)
      assert.deepEqual((await tl.verify()).differences, [])
      assert.deepEqual((await tl.rebuild()).repaired, [])
    },
  },
  {
    id: 'A32',
    title: 'lists them in progress and commits, with outcomes, and once if they were observed too',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', task: 'Retry', metadata: { cwd: '/app' } })
      await work(session)
      session.observe.fileRead({ path: 'a.ts' })
      session.observe.fileWrite({ path: 'a.ts', content: 'y' })
      session.observe.command({ command: 'npm test', exitCode: 1 })
      await session.flushStep()
      assert.deepEqual((await named(session))[2], ['file:a.ts updatedIn task:session', 'Edit 6', '- 17'])
      const progress = await session.progress()
      for (const line of ['a.ts', '/etc/b.conf', 'npm test', '  - Test it']) {
        assert(progress.includes(line), `${line} is missing: ${progress}`)
      }
      await session.end()
      const { filesRead, filesWritten, commands, summary } = await session.compact()
      assert.deepEqual(filesRead, ['a.ts'])
      assert.deepEqual(
        filesWritten.map(({ path, bytes }) => [path, bytes]),
        [
          ['/etc/b.conf', undefined],
          ['a.ts', 1],
        ],
      )
      assert.deepEqual(commands, [{ command: 'npm test', exitCode: 1 }])
      for (const text of ['Retry', 'npm test', 'Test it']) assert(summary.includes(text), summary)
    },
  },
  {
    id: 'A32',
    title: 'gives an imported session the same graph',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada', metadata: { cwd: '/app' } })
      await work(session)
      assert.deepEqual(await named(session), WORK)
      const blocks = await exportBlocks(tl, { sessionId: session.id })
      await tl.sessions.purge(session.id)
      await tl.import(blocks)
      const imported = await tl.sessions.get(session.id)
      assert.deepEqual(await named(imported), WORK)
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A9',
    title: 'derives long logs page by page, each edge once, while four processes read and one writes',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const batch = (n: number) => upTo(40).flatMap((i) => reads(`c${n}-${i}`, `f${n}-${i % 10}`))
      for (const n of upTo(15)) await session.append(batch(n))
      const workers = upTo(4).map(() => startWorker(db.target, { do: 'graph', sessionId: session.id, count: 6 }))
      const killed = startWorker(db.target, { do: 'graph', sessionId: session.id, count: 1000 })
      await killed.printed(1)
      for (const n of upTo(5)) await session.append(batch(15 + n))
      await killed.kill()
      const counts = (await Promise.all(workers.map(({ done }) => done))).flat() as number[]
      assert(
        counts.every((count) => count >= 150 && count <= 200),
        `${counts}`,
      )
      const { edges, truncated } = await session.graph({ limit: 500 })
      assert.deepEqual([edges.length, truncated], [200, false])
      assert(edges.every(({ evidence }) => evidence.length === 4))
      assert.deepEqual((await tl.verify(session.id)).differences, [])
    },
  },
]
