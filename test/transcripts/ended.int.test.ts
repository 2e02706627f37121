import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { findFiles } from '../../src/cli/transcripts/find-files.ts'
import { TranscriptImporter } from '../../src/cli/transcripts/transcript-importer.ts'
import { open, type SessionRecord, type Throughline } from '../../src/index.ts'
import { remoteThroughline } from '../../src/remote/index.ts'
import { continuationId } from '../../src/transcripts/transcript-log.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { operatorToken, startServer } from '../servers/http.ts'
import { temporaryFolder } from '../servers/test-run.ts'
import { restoreLines } from './original-lines.ts'
import { formatOf, OWNER, readLines, sessionId, threadId } from './transcripts.ts'

const DAY = 86_400_000
const SESSION = sessionId(1)

let folder: ReturnType<typeof temporaryFolder>

beforeEach(() => {
  folder = temporaryFolder('tl-ended-')
})

afterEach(() => folder.remove())

/** A store of each kind, and how to close it. */
const STORES: Record<string, () => Promise<{ tl: Throughline; close(): Promise<void> }>> = {
  memory: async () => {
    const tl = await open('memory:')
    return { tl, close: () => tl.close() }
  },
  sqlite: async () => {
    const tl = await open(`sqlite:${join(folder.path, 'sessions.db')}`)
    return { tl, close: () => tl.close() }
  },
  http: async () => {
    const server = await startServer({ url: `sqlite:${join(folder.path, 'sessions.db')}` })
    const tl = await remoteThroughline({ url: server.url, token: await operatorToken() })
    const close = async () => {
      await tl.close()
      await server.close()
    }
    return { tl, close }
  },
  postgres: async () => {
    const databases = await databasesOf(inject('postgres')[0]?.url ?? '')
    const database = await databases.create()
    const tl = await open(database.url(SERVING))
    const close = async () => {
      await tl.close()
      await database.destroy()
      await databases.close()
    }
    return { tl, close }
  },
}

const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()

/** A line of Claude Code. */
const said = (content: string, days: number, more = {}) =>
  `${JSON.stringify({ type: 'user', message: { role: 'user', content }, timestamp: ago(days), ...more })}\n`

const importer = (tl: Throughline, path: string) => new TranscriptImporter(tl, formatOf(path), OWNER, false)

/** Imports all files below a path anew, as another process would. */
async function imported(tl: Throughline, path: string, sample = path) {
  return await importer(tl, sample).importFiles((await findFiles([path])).files)
}

/** The sessions that hold the lines of a session, oldest first. */
async function chainOf(tl: Throughline, id: string): Promise<SessionRecord[]> {
  const first = await (await tl.sessions.get(id)).record()
  const { conversationId, chatmode } = first
  const { items } = await tl.sessions.list({ userId: OWNER.userId, conversationId, chatmode })
  const chain = [first]
  for (let next = first; ; ) {
    const found = items.find(({ metadata }) => metadata['continues'] === next.id)
    if (found === undefined) return chain
    next = found
    chain.push(next)
  }
}

async function eventsOf(tl: Throughline, chain: readonly SessionRecord[]) {
  const all = await Promise.all(chain.map(async ({ id }) => (await tl.sessions.get(id)).events({ limit: 500 })))
  return all.flat().filter(({ parts }) => (parts as { line?: number } | undefined)?.line !== undefined)
}

describe.each(Object.keys(STORES))('an old transcript in a store: %s', (kind) => {
  let tl: Throughline
  let close: () => Promise<void>

  beforeEach(async () => {
    const made = await STORES[kind]?.()
    if (made === undefined) throw new Error('no such store')
    ;({ tl, close } = made)
  })

  afterEach(() => close())

  it('is an ended session with its commit, and later lines continue in another session', async () => {
    const path = join(folder.path, `${SESSION}.jsonl`)
    await writeFile(path, said('Fix the parser.', 30) + said('Thanks.', 20))
    expect(await imported(tl, path)).toMatchObject({ created: 1, events: 3, ended: 1, refused: [] })
    const [first] = await chainOf(tl, SESSION)
    expect(first).toMatchObject({ turns: 2, status: { state: 'aborted', cause: 'expired' } })
    const { items: commits } = await tl.conversations.commits(SESSION, { userId: OWNER.userId })
    expect(commits).toMatchObject([{ sessionId: SESSION, kind: 'stale', task: 'Fix the parser.' }])
    expect(commits[0]?.summary).toMatch(/^Task: Fix the parser\.\n(?:.*\n)*Ended early: Session expired$/)
    expect(await imported(tl, path)).toMatchObject({ unchanged: 1, events: 0, ended: 0, refused: [] })

    // the user resumes it
    await appendFile(path, said('It is still broken.', 0))
    expect(await imported(tl, path)).toMatchObject({ sessions: 2, created: 1, unchanged: 1, events: 2, refused: [] })
    const [, second] = await chainOf(tl, SESSION)
    const events = await (await tl.sessions.get(SESSION)).events()
    expect(second).toMatchObject({
      id: continuationId(SESSION, { sequence: 3, eventId: events[2]?.id ?? '' }),
      conversationId: SESSION,
      chatmode: 'claude-code',
      task: 'Fix the parser.',
      status: { state: 'running' },
      turns: 1,
    })
    expect(Date.parse(second?.startedAt ?? '')).toBeGreaterThan(Date.now() - DAY)
    await appendFile(path, said('And now?', 0))
    expect(await imported(tl, path)).toMatchObject({ extended: 1, unchanged: 1, events: 1, ended: 0 })

    // the second one ends as well, whoever ends it
    await (await tl.sessions.get(second?.id ?? '')).abort('enough')
    await appendFile(path, said('Once more.', 0))
    expect(await imported(tl, path)).toMatchObject({ sessions: 3, created: 1, unchanged: 2, events: 2, refused: [] })
    expect(await imported(tl, path)).toMatchObject({ sessions: 3, unchanged: 3, events: 0, refused: [] })
    const chain = await chainOf(tl, SESSION)
    expect(chain.map(({ turns, status }) => [turns, status.state])).toEqual([
      [2, 'aborted'],
      [2, 'aborted'],
      [1, 'running'],
    ])
    const stored = await eventsOf(tl, chain)
    expect(stored.map(({ content }) => content)).toEqual([
      ...['Fix the parser.', 'Thanks.', 'It is still broken.', 'And now?', 'Once more.'],
    ])
    expect(restoreLines(stored)).toEqual(await readLines(path))
    expect((await tl.verify()).differences).toEqual([])
  })

  it('is refused where a line was changed, ended or not, and nothing of it continues', async () => {
    const path = join(folder.path, `${SESSION}.jsonl`)
    await writeFile(path, said('Fix the parser.', 30))
    await imported(tl, path)
    await writeFile(path, said('Fix the writer.', 30) + said('Go on.', 0))
    expect(await imported(tl, path)).toMatchObject({ created: 0, refused: [{ code: 'IMPORT_CONFLICT' }] })
    expect(await chainOf(tl, SESSION)).toHaveLength(1)
  })

  it('ends with its sub-agents, each with its own commit', async () => {
    const agents = join(folder.path, SESSION, 'subagents')
    await mkdir(agents, { recursive: true })
    const call = { type: 'tool_use', id: 'toolu_1', name: 'Task', input: { prompt: 'Count' } }
    const message = { role: 'assistant', content: [call] }
    await writeFile(
      join(folder.path, `${SESSION}.jsonl`),
      said('Ask.', 30) + said('', 30, { type: 'assistant', message }),
    )
    const agent = join(agents, 'agent-a1.jsonl')
    await writeFile(agent, said('Count', 30, { isSidechain: true, agentId: 'a1' }))
    expect(await imported(tl, folder.path, agent)).toMatchObject({ created: 2, children: 1, ended: 2, refused: [] })
    const { items } = await tl.sessions.list({ userId: OWNER.userId, parent: SESSION })
    expect(items).toMatchObject([
      { parent: { sessionId: SESSION, sequence: 3 }, status: { state: 'aborted', cause: 'expired' } },
    ])
    await appendFile(agent, said('Again', 0, { isSidechain: true, agentId: 'a1' }))
    expect(await imported(tl, folder.path, agent)).toMatchObject({ created: 1, children: 2, ended: 0, refused: [] })
    const children = await tl.sessions.list({ userId: OWNER.userId, parent: SESSION })
    expect(children.items.map(({ status }) => status.state).toSorted()).toEqual(['aborted', 'running'])
    expect((await tl.conversations.commits(SESSION, { userId: OWNER.userId })).items).toHaveLength(2)
    expect((await tl.verify()).differences).toEqual([])
  })

  it('of Codex is imported once, too', async () => {
    const path = join(folder.path, `rollout-2026-03-02T09-00-00-${threadId(1)}.jsonl`)
    const line = (type: string, payload: object, days: number) =>
      `${JSON.stringify({ timestamp: ago(days), type, payload })}\n`
    const user = (text: string, days: number) =>
      line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }, days)
    await writeFile(path, line('session_meta', { id: threadId(1), cwd: '/w' }, 30) + user('Fix it.', 30))
    expect(await imported(tl, path)).toMatchObject({ created: 1, events: 3, ended: 1 })
    await appendFile(path, user('Go on.', 0))
    expect(await imported(tl, path)).toMatchObject({ created: 1, unchanged: 1, events: 2, ended: 0 })
    expect(await imported(tl, path)).toMatchObject({ unchanged: 2, events: 0 })
    expect(restoreLines(await eventsOf(tl, await chainOf(tl, threadId(1))))).toEqual(await readLines(path))
  })
})
