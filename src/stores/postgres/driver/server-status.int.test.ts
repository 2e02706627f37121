import { describe, expect, inject, it, vi } from 'vitest'
import { withDrivers } from '../../../../test/servers/postgres-drivers.ts'
import { onReadOnly } from './server-status.ts'

describe.each(withDrivers(inject('postgres')))('a connection to $name with $driver', ({ url, pg }) => {
  async function watched(options: string) {
    const client = new pg.Client({ connectionString: url, options })
    const isReadOnly = vi.fn()
    onReadOnly(client, isReadOnly)
    await client.connect()
    return { client, isReadOnly }
  }

  it('says that it takes no writes as soon as it is made', async () => {
    const { client, isReadOnly } = await watched('-c default_transaction_read_only=on')
    expect(isReadOnly).toHaveBeenCalledOnce()
    await client.end()
  })

  it('says so when that changes', async () => {
    const { client, isReadOnly } = await watched('')
    await client.query('select 1')
    expect(isReadOnly).not.toHaveBeenCalled()
    await client.query('set default_transaction_read_only = on')
    expect(isReadOnly).toHaveBeenCalledOnce()
    await client.end()
  })
})
