import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { HOW_TO_UPDATE } from '../../../test/schema/how-to-update.ts'
import { dumpSqlite } from '../../../test/schema/sqlite.ts'
import { migrate } from './migrate.ts'

it('a new database has the schema in schema.sql', async () => {
  const db = new Database(':memory:')
  await migrate(db)
  await expect(dumpSqlite(db), HOW_TO_UPDATE).toMatchFileSnapshot('./schema.sql')
  db.close()
})
