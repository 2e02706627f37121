import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { rulesForRun } from '../../test/proof.ts'
import { type Databases, databasesOf, SERVING } from '../../test/servers/database.ts'
import { servedDatabase } from '../../test/servers/http.ts'
import { describeThroughline } from '../stores/conformance/index.ts'

const cache = inject('redis').url
const [server] = inject('postgres')
let databases: Databases
beforeAll(async () => {
  databases = await databasesOf(server?.url ?? '')
})
afterAll(() => databases.close())

describeThroughline(
  {
    name: `HTTP over ${server?.name} behind Redis`,
    async create() {
      const database = await databases.recycled()
      return await servedDatabase({ url: database.url(SERVING), cache }, database.destroy)
    },
  },
  // rules with several client processes run over SQLite
  rulesForRun({ describe, it }, /^A(?!9 )/),
)
