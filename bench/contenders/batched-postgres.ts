import type { Contender, Entrant } from '../contender.ts'
import { pg } from '../drivers.ts'
import type { Message } from '../load.ts'
import { EVENT_COLUMNS, rawPostgres } from './raw-postgres.ts'

/**
 * $1 sessions, $2 types, $3 roles, $4 contents: each session's head moves once, and its events keep the given order.
 */
export const APPEND_ALL = `
  with given as (
    select *, row_number() over (partition by session order by i) as place
    from unnest($1::uuid[], $2::text[], $3::text[], $4::text[]) with ordinality as g (session, type, role, content, i)
  ), counted as (
    select session, count(*)::integer as events, (count(*) filter (where role = 'user'))::integer as turns
    from given group by session
  ), moved as (
    update sessions x set head = x.head + c.events, turns = x.turns + c.turns, last_activity_at = now()
    from counted c
    where x.id = c.session
    returning x.id, x.head - c.events as head
  )
  insert into session_events ${EVENT_COLUMNS}
  select g.session, m.head + g.place, gen_random_uuid(), g.type, g.role, g.content, null, now()
  from given g join moved m on m.id = g.session`

const APPEND = { name: 'append-all', text: APPEND_ALL }

/**
 * The upper bound for appends that share a call: the raw statement over all waiting appends, on one connection, and
 * nothing else. It checks no owner, no key and no end; an error fails all of them.
 */
export function batchedPostgres(name: string): Entrant {
  return { name, open: (url) => contender(name, url) }
}

interface Waiting {
  sessionId: string
  message: Message
  resolve(): void
  reject(error: unknown): void
}

async function contender(name: string, url: string): Promise<Contender> {
  const raw = await rawPostgres(name).open(url, { connections: 1 })
  const client = new pg.Client(url)
  await client.connect()
  const waiting: Waiting[] = []
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0)
      const values = [
        batch.map(({ sessionId }) => sessionId),
        batch.map(({ message }) => message.type),
        batch.map(({ message }) => message.role),
        batch.map(({ message }) => message.content),
      ]
      try {
        await client.query({ ...APPEND, values })
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
      // a caller that was answered and appends again at once joins this batch
      await new Promise<void>((resolve) => process.nextTick(resolve))
    }
    running = false
  }

  return {
    ...raw,
    append: (sessionId, message) =>
      new Promise((resolve, reject) => {
        waiting.push({ sessionId, message, resolve, reject })
        if (!running) void run()
      }),
    async close() {
      await client.end()
      await raw.close()
    },
  }
}
