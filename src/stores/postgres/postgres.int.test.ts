import { afterAll, beforeAll, describe, inject, it } from 'vitest'
import { isProving, rulesForRun } from '../../../test/proof.ts'
import { type Databases, databasesOf, SERVING } from '../../../test/servers/database.ts'
import { open } from '../../open/open.ts'
import { describeSessionStore, describeThroughline } from '../conformance/index.ts'
import { postgresStore } from './index.ts'

const servers = inject('postgres')

for (const [i, { name, url }] of servers.entries()) {
  let databases: Databases
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())

  describeSessionStore(
    {
      name,
      async create() {
        const database = await databases.recycled()
        const target = database.url(SERVING)
        return { connect: () => postgresStore({ url: target, migrate: false }), destroy: database.destroy }
      },
    },
    { describe, it },
  )

  // over HTTP and behind Redis the rules of the API run on the first of several
  if (servers.length > 1 && i === 0 && !isProving) continue

  describeThroughline(
    {
      name,
      async create() {
        const database = await databases.recycled()
        const target = database.url(SERVING)
        return { connect: (options) => open({ url: target, ...options }), target, destroy: database.destroy }
      },
    },
    // several processes, tails and envelopes without a cache
    rulesForRun({ describe, it }, /^A(8|9|25) /),
  )
}
