import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { open } from '../../src/index.ts'
import { upTo } from '../../src/stores/conformance/samples.ts'
import { firstInShortRun } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'

it.each(firstInShortRun(inject('postgres')))(
  'changes of one user leave connections to others on $name',
  async ({ url }) => {
    const databases = await databasesOf(url)
    const database = await databases.create()
    const tl = await open(`${database.url(SERVING)}?pool=2`)
    const other = await tl.as({ tenant: 'other', userId: 'eve' }).sessions.create({ userId: 'eve' })
    await tl.memories.remember({ userId: 'ada', content: 'Plays chess' })

    // the first change waits for this row, the others for the first
    const holder = new pg.Client(database.url())
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from memori.memory_versions for update')
    const changes = upTo(24).map((n) => tl.memories.remember({ userId: 'ada', content: `Has ${n} chess boards` }))
    const waiting = `
    select count(*)::integer as n from pg_stat_activity
    where datname = current_database() and usename = '${SERVING}' and wait_event_type = 'Lock'`
    await expect.poll(async () => (await database.admin(waiting))[0]?.['n']).toBe(1)
    for (const n of upTo(5)) await other.append({ type: 'user_message', content: `message ${n}` })
    expect(await database.admin(waiting)).toEqual([{ n: 1 }])
    await holder.query('rollback')
    await holder.end()

    await Promise.all(changes)
    expect((await tl.memories.list({ userId: 'ada', limit: 50 })).items).toHaveLength(25)
    await tl.close()
    await database.destroy()
    await databases.close()
  },
)
