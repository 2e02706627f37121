import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { rulesForRun } from '../../test/proof.ts'
import { SERVING } from '../../test/servers/database.ts'
import { servedDatabase } from '../../test/servers/http.ts'
import { type SplitDatabases, splitDatabasesOf } from '../../test/servers/split-databases.ts'
import { describeThroughline } from '../stores/conformance/index.ts'

const cache = inject('redis').url
const [server] = inject('postgres')
let databases: SplitDatabases
beforeAll(async () => {
  databases = await splitDatabasesOf(server?.url ?? '')
})
afterAll(async () => {
  const refused = databases.refused()
  await databases.close()
  expect(refused).toEqual([])
})

describeThroughline(
  {
    name: `HTTP over ${server?.name} split over two databases, behind Redis`,
    async create() {
      const database = await databases.recycled()
      return await servedDatabase({ url: database.url(SERVING), cache }, database.destroy)
    },
  },
  // rules with several client processes run over SQLite
  rulesForRun({ describe, it }, /^A(?!9 )/),
)
