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
})
