import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { type EventInput, open } from '../../src/index.ts'
import { SELECT_EVENTS } from '../../src/stores/sqlite/read.ts'
import { amount, isProving, printFigure, withDatabaseFile } from '../proof.ts'

const SIZES = [100, 10_000, amount(20_000, 1_000_000)]
const READS = 400

function turns(events: number): EventInput[] {
  const content = 'Something of ordinary length that was said or done. '.repeat(10)
  return Array.from({ length: events }, (_, i) => ({ type: i % 2 ? 'model_message' : 'user_message', content }))
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

it('reads a window at the same cost from a long log as from a short one', { timeout: 900_000 }, async () => {
  await withDatabaseFile(async (path) => {
    const tl = await open({ url: `sqlite:${path}`, durability: 'relaxed', tokenizer: 'estimate' })
    const sessions = await Promise.all(SIZES.map(() => tl.sessions.create({ userId: 'ada' })))
    for (const [i, session] of sessions.entries()) {
      for (let left = SIZES[i] ?? 0; left > 0; left -= 1000) await session.append(turns(Math.min(1000, left)))
    }
    const times = SIZES.map(() => ({ whole: [] as number[], budget: [] as number[] }))
    for (let read = 0; read < READS; read++) {
      // in turns, so that a noisy moment of the machine meets every size
      for (const [i, session] of sessions.entries()) {
        const start = performance.now()
        const { events } = await session.recent()
        const middle = performance.now()
        const { tokens = 0 } = await session.recent({ maxTokens: 2000 })
        times[i]?.whole.push(middle - start)
        times[i]?.budget.push(performance.now() - middle)
        expect([events.length, tokens <= 2000, tokens > 1000]).toEqual([60, true, true])
      }
    }
    await tl.close()

    const db = new Database(path, { readonly: true })
    const plan = db
      .prepare(`explain query plan ${SELECT_EVENTS} desc`)
      .all({ sessionId: '', after: 0, before: 9, inline: 0 })
    db.close()
    expect(plan).toMatchObject([
      { detail: 'SEARCH session_events USING PRIMARY KEY (session_id=? AND sequence>? AND sequence<?)' },
    ])
    if (!isProving) return
    printFigure(`plan of recent(): ${(plan as { detail: string }[]).map(({ detail }) => detail).join('; ')}`)
    const base = times[0]
    for (const [i, size] of SIZES.entries()) {
      const [whole, budget] = [median(times[i]?.whole ?? []), median(times[i]?.budget ?? [])]
      const ratio = (mine: number, first: number[] | undefined) => (mine / median(first ?? [])).toFixed(2)
      printFigure(
        `recent() of ${size.toLocaleString('en')} events: ${whole.toFixed(3)} ms (× ${ratio(whole, base?.whole)}), ` +
          `with a budget ${budget.toFixed(3)} ms (× ${ratio(budget, base?.budget)})`,
      )
    }
  })
})
