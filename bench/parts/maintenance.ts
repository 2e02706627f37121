import { open } from '../../dist/index.js'
import { messages } from '../load.ts'
import type { Part } from '../part.ts'
import type { Row } from '../table.ts'
import { urlOf } from './target.ts'

const SESSIONS = 100

/** M1: folds every log again, once to verify and once to rebuild. */
export const MAINTENANCE: Part = {
  name: 'upkeep',
  stores: ['sqlite', 'postgres'],
  async *run({ store, quick, places }) {
    const events = quick ? 20_000 : 1_000_000
    const tl = await open({ url: await urlOf(store, places), durability: 'relaxed', index: false })
    for (let n = 0; n < SESSIONS; n++) {
      const session = await tl.sessions.create({ userId: `user-${n}` })
      for (const some of messages(events / SESSIONS)) await session.append(some)
    }
    if (store === 'postgres') await (await places.postgres()).vacuum()
    const rows: Row[] = []
    for (const name of ['verify', 'rebuild'] as const) {
      const begun = performance.now()
      const report = await tl[name]()
      const seconds = (performance.now() - begun) / 1000
      const found = 'differences' in report ? report.differences.length : report.repaired.length
      rows.push({
        name: `Throughline: ${name}`,
        kind: 'throughline',
        value: (seconds * 1_000_000) / report.events,
        note: `${report.events.toLocaleString('en')} events; ${found === 0 ? 'no difference' : `${found} differences`}`,
      })
    }
    await tl.close()
    yield { id: 'M1', title: 'verify() and rebuild()', by: 'value', unit: 'seconds per million events', rows }
    await places.clear()
  },
}
