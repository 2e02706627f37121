import { describe, expect, inject, it } from 'vitest'
import { withDrivers } from '../../../../test/servers/postgres-drivers.ts'
import { clientPool } from './client-pool.ts'

describe.each(withDrivers(inject('postgres')))('connections to $name with $driver', ({ url, pg }) => {
  it('close a connection whose statement takes too long, and go on with another', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    pool.on('error', () => {})
    const clients = clientPool(pool, 200, (error) => error)
    const late = await clients.take()
    await expect(clients.send(late, { text: 'select pg_sleep(60)' })).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    clients.release(late, true)

    const next = await clients.take()
    expect((await clients.send(next, { text: 'select 1 as one' })).rows).toEqual([{ one: 1 }])
    clients.release(next, false)
    expect(clients.takeIdle()).toBe(next)
    clients.release(next, false)
    await clients.close()
  })

  it('go to those who wait for different data in turn, whoever came first', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    const clients = clientPool(pool, 60_000, (error) => error)
    const order: string[] = []
    const first = await clients.take('busy')
    const call = async (owner: string, label: string) => {
      const client = await clients.take(owner)
      order.push(label)
      await clients.send(client, { text: 'select 1' })
      clients.release(client, false)
    }
    const calls = Array.from({ length: 20 }, (_, i) => call('busy', `busy ${i}`))
    calls.push(call('quiet', 'quiet'))
    expect(clients.waiting()).toBe(21)
    // nobody passes those who wait
    expect(clients.takeIdle()).toBeUndefined()
    clients.release(first, false)
    await Promise.all(calls)
    expect(order.slice(0, 3)).toEqual(['busy 0', 'quiet', 'busy 1'])
    expect([order.length, clients.waiting()]).toEqual([21, 0])
    await clients.close()
  })

  it('are not waited for longer than the limit, and go to the next one who still waits', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 500 })
    const clients = clientPool(pool, 60_000, (error) => error)
    const first = await clients.take()
    await expect(clients.take()).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    expect(clients.waiting()).toBe(0)
    const next = clients.take()
    clients.release(first, false)
    expect(await next).toBe(first)
    clients.release(first, false)
    await clients.close()
  })
})
