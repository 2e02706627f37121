import { setTimeout as delay } from 'node:timers/promises'
import type { Connections, Listener, Statement } from './connection.ts'

/** A message is a transaction like any other, but nothing is lost with it, so that it need not wait for the disk. */
const NOTIFY: Statement = {
  name: 'notify',
  text: `select set_config('synchronous_commit', 'off', true), pg_notify('throughline', id) from unnest($1::text[]) id`,
}

/** Milliseconds between two messages: one for each append took a lone writer a third of its speed. */
const NOTIFY_PAUSE = 20

/** How often watchers look without having been told, in milliseconds: a notification is only a hint. */
const POLL = 1000
/** The same where there are no notifications. */
const POLL_POOLED = 100

/** Tells watchers of new writes: at once for those of this process, by NOTIFY and by polling for those of others. */
export interface Watchers {
  add(sessionId: string, wake: () => void): () => void
  /** After the commit: wakes this process and tells the others, many writes in one message. */
  notify(sessionIds: readonly string[]): void
  close(): Promise<void>
}

export function watchers(connections: Connections): Watchers {
  const bySession = new Map<string, Set<() => void>>()
  const untold = new Set<string>()
  let telling: Promise<void> | undefined
  let listening: Promise<void> | undefined
  let listener: Listener | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function wake(sessionIds: Iterable<string>): void {
    for (const sessionId of sessionIds) for (const callback of bySession.get(sessionId) ?? []) callback()
  }

  async function tell(): Promise<void> {
    while (untold.size > 0) {
      const ids = [...untold]
      untold.clear()
      // who is not told looks by itself before long
      await connections.query(NOTIFY, [ids], { again: false }).catch(() => {})
      await delay(NOTIFY_PAUSE)
    }
    telling = undefined
  }

  async function listen(): Promise<void> {
    while (!closed && bySession.size > 0) {
      try {
        const client = await connections.dedicated()
        // nobody watches any more, since while it connected
        if (closed || bySession.size === 0) return client.hangUp()
        listener = client
        const ended = new Promise<void>((resolve) => {
          client.on('error', () => resolve())
          client.on('end', resolve)
        })
        client.on('notification', ({ payload }) => wake([payload ?? '']))
        await client.query('listen throughline')
        // what was written while nobody listened
        wake([...bySession.keys()])
        await ended
      } catch {
        await delay(200)
      }
    }
  }

  function start(): void {
    timer ??= setInterval(() => wake([...bySession.keys()]), connections.pooled ? POLL_POOLED : POLL)
    if (connections.pooled) return
    listening ??= listen().finally(() => {
      listening = undefined
      // someone began to watch while the last connection ended
      if (!closed && bySession.size > 0) start()
    })
  }

  async function stop(): Promise<void> {
    clearInterval(timer)
    timer = undefined
    const client = listener
    listener = undefined
    client?.hangUp()
  }

  return {
    add(sessionId, callback) {
      const group = bySession.get(sessionId) ?? new Set()
      bySession.set(sessionId, group.add(callback))
      start()
      return () => {
        group.delete(callback)
        if (group.size === 0) bySession.delete(sessionId)
        if (bySession.size === 0) void stop()
      }
    },
    notify(sessionIds) {
      if (sessionIds.length === 0) return
      wake(new Set(sessionIds))
      for (const id of sessionIds) untold.add(id)
      telling ??= tell()
    },
    async close() {
      closed = true
      bySession.clear()
      await stop()
      await listening
      await telling
    },
  }
}
