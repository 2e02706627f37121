import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { open, type Throughline } from '../../src/index.ts'
import { startWorker } from '../../src/stores/conformance/processes.ts'
import { amount, printFigure, withDatabaseFile } from '../proof.ts'

const KILLS = amount(2, 30)
/** Enough for a fork and a purge of dozens of pieces. */
const EVENTS = amount(2000, 10_000)

/** Creates a large session and returns its id. */
async function writeLarge(tl: Throughline): Promise<string> {
  const session = await tl.sessions.create({ userId: 'ada' })
  const events = Array.from({ length: 500 }, () => ({ type: 'user_message', content: 'x'.repeat(1000) }) as const)
  for (let written = 0; written < EVENTS; written += events.length) await session.append(events)
  return session.id
}

/** Waits until the process has begun: another connection sees a hidden session. */
async function untilHidden(path: string, isOver: () => boolean): Promise<void> {
  const db = new Database(path, { readonly: true })
  const count = db.prepare('select count(*) from hidden_sessions').pluck()
  while (count.get() === 0 && !isOver()) await new Promise((resolve) => setTimeout(resolve, 1))
  db.close()
}

it.each(['fork', 'purge'] as const)(
  'kill -9 in the middle of a %s leaves all of a session or nothing',
  {
    timeout: 600_000,
  },
  async (kind) => {
    await withDatabaseFile(async (path) => {
      let interrupted = 0
      for (let kill = 1; kill <= KILLS; kill++) {
        const setup = await open({ url: `sqlite:${path}`, index: false })
        const id = await writeLarge(setup)
        await setup.close()
        const worker = startWorker({ url: `sqlite:${path}`, index: false }, { do: kind, sessionIds: [id] })
        await untilHidden(path, () => worker.lines.length > 0)
        await worker.kill()

        const db = new Database(path)
        const countHidden = () => db.prepare('select count(*) from hidden_sessions').pluck().get()
        const countEvents = () => db.prepare('select count(*) from session_events').pluck().get() as number
        interrupted += countHidden() as number
        const tl = await open({ url: `sqlite:${path}`, index: false })
        const sessions = (await tl.sessions.list({ userId: 'ada' })).items
        for (const { head } of sessions) expect(head).toBeGreaterThan(EVENTS)
        expect((await tl.verify()).differences).toEqual([])
        // as ten seconds later
        db.exec("update hidden_sessions set touched_at = '2000-01-01T00:00:00.000Z'")
        await tl.sweep()
        expect(countHidden()).toBe(0)
        expect(countEvents()).toBe(sessions.reduce((sum, { head }) => sum + head, 0))
        await tl.users.purge('ada')
        expect(countEvents()).toBe(0)
        await tl.close()
        db.close()
      }
      expect(interrupted).toBeGreaterThan(0)
      printFigure(
        `${KILLS} × kill -9 of a ${kind} of ${EVENTS} events: ${interrupted} in the middle, nothing half visible`,
      )
    })
  },
)
