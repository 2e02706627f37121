import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { SERVING } from './database.ts'
import { type SplitDatabases, splitDatabasesOf } from './split-databases.ts'
import { runSql } from './template-database.ts'

const [server] = inject('postgres')
let databases: SplitDatabases
beforeAll(async () => {
  databases = await splitDatabasesOf(server?.url ?? '')
})
afterAll(() => databases.close())

it('tells the serving role which partitions share a database, in both', async () => {
  const database = await databases.recycled()
  const all = Array.from({ length: 1024 }, (_, partition) => partition)
  const groups = [0, 1].map((rest) => ({ partitions: all.filter((partition) => partition % 2 === rest) }))
  const query = 'select partitions from context.partition_groups()'
  expect(await runSql(database.url(SERVING), query)).toEqual(groups)
  expect(await database.admin(`set role ${SERVING}; ${query}`)).toEqual([...groups, ...groups])
  await database.destroy()
})

it('empties a pair and uses it again with the same router', async () => {
  const used = await databases.recycled()
  await used.admin('create table context.numbers (n integer); insert into context.numbers values (1)')
  expect(await used.admin('select n from context.numbers')).toEqual([{ n: 1 }, { n: 1 }])
  await used.destroy()
  const again = await databases.recycled()
  expect(again.url(SERVING)).toBe(used.url(SERVING))
  expect(await again.admin('select n from context.numbers')).toEqual([])
  const other = await databases.recycled()
  expect(other.url(SERVING)).not.toBe(used.url(SERVING))
  await again.destroy()
  await other.destroy()
})
