import { randomUUID } from 'node:crypto'
import type { MastraDBMessage } from '@mastra/core/memory'
import type { MemoryStorage } from '@mastra/core/storage'
import type { Contender, Entrant } from '../contender.ts'
import type { Message } from '../load.ts'
import { endOf, poolOf } from './pool.ts'
import { inLibsql, inPostgres, OWNER, parts, steps } from './rows.ts'

const RESOURCE = 'bench'
const NEWEST = { field: 'updatedAt', direction: 'DESC' } as const

/**
 * How far back the messages that `fill` writes begin, in milliseconds; it gives each one of its own, as Mastra does.
 */
const PAST = 10 ** 9

/** The columns of messages that are the same in either database, and where they are in `value`. */
const COLUMNS = 'id, thread_id, content, role, type, "resourceId"'
const VALUES = `value ->> 'id', value ->> 'threadId', value ->> 'content', value ->> 'role', 'v2', value ->> 'resourceId'`

/** As one parameter, with the content as text for that is how it is kept. */
function json(messages: readonly MastraDBMessage[]): string {
  return JSON.stringify(messages.map((message) => ({ ...message, content: JSON.stringify(message.content) })))
}

/** The domain `memory` of a Mastra store: threads, their messages and their metadata. */
interface Parts {
  name: string
  caveat?: string
  memory: MemoryStorage | undefined
  /** Rows as `saveMessages` makes them, which takes only 50 at a time. */
  fill(messages: readonly MastraDBMessage[]): Promise<void>
  populate(from: string, count: number): Promise<void>
  close(): Promise<void>
}

function contender({
  memory,
  fill,
  populate,
  ...rest
}: Parts): Contender & { everyone(): Promise<readonly unknown[]> } {
  if (memory === undefined) throw new Error('The Mastra store has no memory.')
  const filled = new Map<string, number>()

  async function create(): Promise<string> {
    const now = new Date()
    const id = randomUUID()
    const thread = { id, resourceId: RESOURCE, title: 'bench', createdAt: now, updatedAt: now, metadata: { value: 0 } }
    await memory?.saveThread({ thread })
    return id
  }

  async function record(sessionId: string) {
    const thread = await memory?.getThreadById({ threadId: sessionId })
    if (!thread) throw new Error(`Mastra has no thread ${sessionId}.`)
    return thread
  }

  return {
    ...rest,
    create,
    async append(sessionId, message) {
      await memory.saveMessages({ messages: [said(sessionId, message, new Date())] })
    },
    async recent(sessionId) {
      const orderBy = { field: 'createdAt', direction: 'DESC' } as const
      const { messages } = await memory.listMessages({ threadId: sessionId, perPage: 60, orderBy })
      return messages.reverse()
    },
    async contents(sessionId) {
      const { messages } = await memory.listMessages({ threadId: sessionId, perPage: false })
      return messages.map(({ content }) => content.parts.map((part) => ('text' in part ? part.text : '')).join(''))
    },
    async fill(sessionId, messages) {
      const before = filled.get(sessionId) ?? 0
      const start = Date.now() - PAST + before
      filled.set(sessionId, before + messages.length)
      await fill(messages.map((message, i) => said(sessionId, message, new Date(start + i))))
    },
    record,
    state: async (sessionId) => (await record(sessionId)).metadata,
    async update(sessionId, value) {
      await memory.updateThread({ id: sessionId, title: 'bench', metadata: { value } })
    },
    list: async () =>
      (await memory.listThreads({ filter: { resourceId: RESOURCE }, perPage: 50, orderBy: NEWEST })).threads,
    everyone: async () => (await memory.listThreads({ perPage: 50, orderBy: NEWEST })).threads,
    populate: async (count) => await populate(await create(), count),
  }
}

function said(threadId: string, { role, content }: Message, createdAt: Date): MastraDBMessage {
  const parts = [{ type: 'text' as const, text: content }]
  return { id: randomUUID(), threadId, resourceId: RESOURCE, role, createdAt, content: { format: 2, parts } }
}

const SQLITE = 'Mastra LibSQLStore'
const POSTGRES = 'Mastra PostgresStore'

export const mastraSqlite: Entrant = {
  name: SQLITE,
  async open(target) {
    const { LibSQLStore } = await import('@mastra/libsql')
    const store = new LibSQLStore({ id: 'bench', url: `file:${target}` })
    await store.init()
    return contender({
      name: SQLITE,
      caveat: 'WAL with synchronous=NORMAL: answers before fsync',
      memory: await store.getStore('memory'),
      fill: (messages) =>
        inLibsql(target, async ({ run, items }) => {
          const insert = `insert into mastra_messages (${COLUMNS}, createdAt) select ${VALUES}, value ->> 'createdAt' from ${items}`
          for (const part of parts(messages)) await run(insert, [json(part)])
        }),
      populate: (from, count) =>
        inLibsql(target, async ({ run, numbers }) => {
          const at = `strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + n.i, 'unixepoch')`
          for (const step of steps(count)) {
            await run(
              `insert into mastra_threads (id, resourceId, title, metadata, createdAt, updatedAt)
              ${numbers} select t.id || '-' || n.i, ${OWNER}, title, metadata, ${at}, ${at}
              from mastra_threads t, n where t.id = $3`,
              [...step, from],
            )
          }
        }),
      close: () => store.close(),
    })
  },
}

export const mastraPostgres: Entrant = {
  name: POSTGRES,
  async open(target, { connections }) {
    const { PostgresStore } = await import('@mastra/pg')
    const pool = await poolOf(target, connections)
    const store = new PostgresStore({ id: 'bench', pool })
    await store.init()
    return contender({
      name: POSTGRES,
      memory: await store.getStore('memory'),
      fill: (messages) =>
        inPostgres(target, async ({ run, items }) => {
          const at = `(value ->> 'createdAt')::timestamptz`
          const insert = `insert into mastra_messages (${COLUMNS}, "createdAt", "createdAtZ")
            select ${VALUES}, ${at} at time zone 'UTC', ${at} from ${items}`
          for (const part of parts(messages)) await run(insert, [json(part)])
        }),
      populate: (from, count) =>
        inPostgres(
          target,
          async ({ run, numbers }) => {
            const atZ = 'to_timestamp(1700000000 + n.i)'
            const at = `${atZ} at time zone 'UTC'`
            for (const step of steps(count)) {
              await run(
                `insert into mastra_threads (id, "resourceId", title, metadata, "createdAt", "updatedAt", "createdAtZ", "updatedAtZ")
              ${numbers} select t.id || '-' || n.i, ${OWNER}, title, metadata, ${at}, ${at}, ${atZ}, ${atZ}
              from mastra_threads t, n where t.id = $3`,
                [...step, from],
              )
            }
          },
          true,
        ),
      async close() {
        await store.close()
        await endOf(pool)
      },
    })
  },
}
