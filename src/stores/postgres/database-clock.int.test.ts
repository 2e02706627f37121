import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import { open, type Throughline } from '../../index.ts'

const HOUR = 3_600_000
/** Much longer than any call takes, and much less than the clocks are moved. */
const CLOSE = HOUR / 2

/** Moves the clock of this process. */
function moveClock(ms: number): void {
  const real = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => real() + ms)
}

describe.each(inject('postgres'))('a process with another time than $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let warnings: string[]
  const onWarning = ({ code = '', message }: Error & { code?: string }) => {
    if (code === 'CLOCK_SKEW') warnings.push(message)
  }
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    database = await databases.create()
    warnings = []
    process.on('warning', onWarning)
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    process.off('warning', onWarning)
    await database.destroy()
  })

  const policy = { idleTimeoutMs: HOUR, staleTimeoutMs: HOUR }

  /** Milliseconds that a new session is ahead of the database. */
  async function aheadBy(tl: Throughline): Promise<number> {
    const { startedAt } = await (await tl.sessions.create({ userId: 'ada', chatmode: `${performance.now()}` })).record()
    const [row] = await database.admin(`select extract(epoch from clock_timestamp() - '${startedAt}') * 1000 as late`)
    return -Number(row?.['late'])
  }

  it.each([-5, 5])('uses the time of the database, and is told that its own is %i h off', async (hours) => {
    const right = await open(database.url(SERVING))
    const session = await right.sessions.create({ userId: 'ada' })
    moveClock(hours * HOUR)
    const tl = await open({ url: database.url(SERVING), policy })
    expect(Math.abs(await aheadBy(tl))).toBeLessThan(CLOSE)
    expect(await tl.sweep()).toMatchObject({ swept: 0 })
    expect((await session.record()).status.state).toBe('running')
    await expect.poll(() => warnings).toHaveLength(1)
    expect(warnings[0]).toContain(`300 min ${hours > 0 ? 'ahead of' : 'behind'} the database`)
    await Promise.all([right.close(), tl.close()])
  })

  it('does so if its clock is set while it runs', async () => {
    const tl = await open({ url: database.url(SERVING), policy })
    await aheadBy(tl)
    moveClock(5 * HOUR)
    expect(Math.abs(await aheadBy(tl))).toBeLessThan(CLOSE)
    expect(await tl.sweep()).toMatchObject({ swept: 0 })
    await expect.poll(() => warnings).toHaveLength(1)
    await tl.close()
  })

  it('uses a clock that it was given instead', async () => {
    const tl = await open({ url: database.url(SERVING), policy, clock: { now: () => Date.now() + 5 * HOUR } })
    expect(Math.round((await aheadBy(tl)) / HOUR)).toBe(5)
    expect(warnings).toEqual([])
    await tl.close()
  })
})
