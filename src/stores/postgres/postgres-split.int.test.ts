import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { rulesForRun } from '../../../test/proof.ts'
import { SERVING } from '../../../test/servers/database.ts'
import { type SplitDatabases, splitDatabasesOf } from '../../../test/servers/split-databases.ts'
import { open } from '../../open/open.ts'
import { describeSessionStore, describeThroughline } from '../conformance/index.ts'
import { postgresStore } from './index.ts'

const [server] = inject('postgres')
const name = `${server?.name} split over two databases`
let databases: SplitDatabases
beforeAll(async () => {
  databases = await splitDatabasesOf(server?.url ?? '')
})
afterAll(async () => {
  const refused = databases.refused()
  await databases.close()
  // the store ignores some errors, such as those of notifications
  expect(refused).toEqual([])
})

describeSessionStore(
  {
    name,
    async create() {
      const database = await databases.recycled()
      const url = database.url(SERVING)
      return { connect: () => postgresStore({ url, migrate: false }), destroy: database.destroy }
    },
  },
  { describe, it },
)

describeThroughline(
  {
    name,
    async create() {
      const database = await databases.recycled()
      const target = database.url(SERVING)
      return { connect: (options) => open({ url: target, ...options }), target, destroy: database.destroy }
    },
  },
  // in npm test the others run over HTTP, on the same split databases
  rulesForRun({ describe, it }, /^A(8|9|25) /),
)

describe(`sessions on ${name}`, () => {
  it('are spread over both databases by their owners', async () => {
    const database = await databases.recycled()
    const tl = await open({ url: database.url(SERVING) })
    try {
      const before = database.calls()
      // that all belong to one database has a probability of 2^-31
      for (let n = 0; n < 32; n++) await tl.sessions.create({ userId: `user-${n}` })
      const [even = 0, odd = 0] = database.calls().map((count, node) => count - (before[node] ?? 0))
      expect(Math.min(even, odd)).toBeGreaterThan(0)
      expect(even + odd).toBeGreaterThanOrEqual(32)
    } finally {
      await tl.close()
      await database.destroy()
    }
  })
})
