import { setTimeout as delay } from 'node:timers/promises'
import type { Connections, Listener, Statement } from './connection.ts'

/** Commits without waiting for the disk, because a lost notification loses no data. */
const NOTIFY: Statement = {
  name: 'notify',
  text: `select set_config('synchronous_commit', 'off', true), pg_notify('throughline', id) from unnest($1::text[]) id`,
}

/** Milliseconds between notifications. One for each append cost a single writer a third of its speed. */
const NOTIFY_PAUSE = 20

/** Milliseconds between polls. A notification is only a hint, so watchers poll too. */
const POLL = 1000
/** Milliseconds between polls without notifications. */
const POLL_POOLED = 100

/** Wakes watchers after writes: of this process at once, of other processes by NOTIFY and by polling. */
export interface Watchers {
  add(sessionId: string, wake: () => void): () => void
  /** Call after the commit. Wakes this process and notifies the others, many writes at once. */
  notify(sessionIds: readonly string[]): void
  close(): Promise<void>
}

export function watchers(connections: Connections): Watchers {
  const bySession = new Map<string, Set<() => void>>()
  const unsent = new Set<string>()
  let sending: Promise<void> | undefined
  let listening: Promise<void> | undefined
  let listener: Listener | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function wake(sessionIds: Iterable<string>): void {
    for (const sessionId of sessionIds) for (const callback of bySession.get(sessionId) ?? []) callback()
  }

  async function sendNotifications(): Promise<void> {
    while (unsent.size > 0) {
      const ids = [...unsent]
      unsent.clear()
      // watchers that miss it poll
      await connections.query(NOTIFY, [ids], { retry: false }).catch(() => {})
      await delay(NOTIFY_PAUSE)
    }
    sending = undefined
  }

  async function listen(): Promise<void> {
    while (!closed && bySession.size > 0) {
      try {
        const client = await connections.dedicated()
        // the last watcher left while it connected
        if (closed || bySession.size === 0) return client.hangUp()
        listener = client
        const ended = new Promise<void>((resolve) => {
          client.on('error', () => resolve())
          client.on('end', resolve)
        })
        client.on('notification', ({ payload }) => wake([payload ?? '']))
        await client.query('listen throughline')
        // for writes from before it listened
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
      // a watcher came while the last connection ended
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
      for (const id of sessionIds) unsent.add(id)
      sending ??= sendNotifications()
    },
    async close() {
      closed = true
      bySession.clear()
      await stop()
      await listening
      await sending
    },
  }
}
