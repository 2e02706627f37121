import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, OWNER, SERVING } from '../../test/servers/database.ts'
import { runInProcess } from '../../test/servers/run-cli.ts'
import { trackProcess } from '../../test/servers/test-run.ts'
import { open } from '../open/open.ts'

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))
function run(...args: string[]) {
  const ended = promisify(execFile)(process.execPath, [RUN, ...args])
  trackProcess(ended.child)
  return ended
}
const [server] = inject('postgres')

let databases: Databases
beforeAll(async () => {
  databases = await databasesOf(server?.url ?? '')
})
afterAll(() => databases.close())

it('migrates an empty Postgres as its owner, so that another role can serve from it', async () => {
  const database = await databases.create('bare')
  const url = database.url(OWNER)
  await expect(run('verify', '--url', url)).rejects.toMatchObject({
    code: 6,
    stderr: expect.stringContaining('throughline migrate'),
  })
  expect((await run('migrate', '--url', url)).stdout).toMatch(/^postgres: migrated from schema 0 to \d+\n$/)
  expect((await run('migrate', '--url', url)).stdout).toMatch(/^postgres: already at schema \d+\n$/)

  const tl = await open(database.url(SERVING))
  await tl.sessions.create({ userId: 'ada' })
  await tl.close()
  const { stdout } = await run('verify', '--json', '--url', database.url(SERVING))
  expect(JSON.parse(stdout)).toEqual({ sessions: 1, events: 1, differences: [] })
  const doctor = await run('doctor', '--url', database.url(SERVING))
  expect(doctor.stdout).toContain(`role ${SERVING}`)
  await database.destroy()
})

it('says that a store without a schema has nothing to migrate', async () => {
  const { stdout } = await runInProcess(['migrate', '--url', 'memory:'], '.')
  expect(stdout).toBe('memory: has no schema to migrate\n')
})
