import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { HOW_TO_UPDATE } from '../../../test/schema/how-to-update.ts'
import { dumpPostgres } from '../../../test/schema/postgres.ts'
import { type Databases, databasesOf, OWNER, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import { open } from '../../open/open.ts'

/** The ledger as the pre-releases with thirteen migrations had it. */
const EARLIER_LEDGER = `
  drop function context.schema_version();
  create function context.schema_version() returns integer language sql stable security definer as
  'select coalesce(max(version), 0) from context.throughline_migrations';
  alter table context.throughline_migrations drop column checksum;
  insert into context.throughline_migrations (version, name) values (13, '0013_fewer_statements.sql')`

describe.each(inject('postgres'))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let client: pg.Client
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    database = await databases.create()
    client = new pg.Client(database.url(OWNER))
    await client.connect()
  })
  afterEach(async () => {
    await client.end()
    await database.destroy()
  })

  it('a new database has the schema in schema.sql', async () => {
    await expect(await dumpPostgres(client), HOW_TO_UPDATE).toMatchFileSnapshot('./schema.sql')
  })

  it.each([
    ['an older edit of a migration', "update context.throughline_migrations set checksum = 'another'"],
    ['the ledger of an earlier pre-release', EARLIER_LEDGER],
  ])('a database with %s is refused with the way out, and left alone', async (_, sql) => {
    await client.query(sql)
    const before = await dumpPostgres(client)
    for (const target of [database.url(SERVING), { url: database.url(OWNER), migrate: true }]) {
      const opening = open(target)
      await expect(opening).rejects.toMatchObject({ code: 'SCHEMA_OUTDATED', details: { madeBy: 'pre-release' } })
      await expect(opening).rejects.toThrow(/throughline export .* throughline import/)
    }
    expect(await dumpPostgres(client)).toBe(before)
  })
})
