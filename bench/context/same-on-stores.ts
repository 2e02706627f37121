import { open, type Throughline } from '../../dist/index.js'
import { budgets } from './summary.ts'

/** Copies all sessions to another store and says whether their contexts are the same there. */
export async function checkSameContexts(tl: Throughline, url: string): Promise<void> {
  const other = await open({ url, index: false })
  await other.import(tl.export())
  const { items } = await tl.sessions.list({ limit: 500 })
  let [compared, different] = [0, 0]
  for (const { id } of items) {
    const [one, two] = [await tl.sessions.get(id), await other.sessions.get(id)]
    for (const { maxTokens } of budgets()) {
      const [a, b] = [await one.context({ maxTokens }), await two.context({ maxTokens })]
      compared++
      if (JSON.stringify(a) !== JSON.stringify(b)) different++
    }
  }
  await other.close()
  const result = different === 0 ? 'the same' : `${different} DIFFERENT`
  console.log(
    `Contexts of the imported sessions, SQLite and ${new URL(url).protocol}//: ${compared} compared, ${result}`,
  )
  if (different > 0) process.exitCode = 1
}
