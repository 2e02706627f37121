import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { rulesForRun } from '../../../test/proof.ts'
import { type Databases, databasesOf, SERVING } from '../../../test/servers/database.ts'
import { open } from '../../open/open.ts'
import { describeThroughline } from '../conformance/index.ts'

const cache = inject('redis').url
const [server] = inject('postgres')
let databases: Databases
beforeAll(async () => {
  databases = await databasesOf(server?.url ?? '')
})
afterAll(() => databases.close())

describeThroughline(
  {
    name: `${server?.name} behind Redis`,
    async create() {
      const database = await databases.recycled()
      const target = { url: database.url(SERVING), cache }
      return { connect: (options) => open({ ...target, ...options }), target, destroy: database.destroy }
    },
  },
  // those of envelopes: the others do not touch the cache
  rulesForRun({ describe, it }, /^A(25|26) /),
)
