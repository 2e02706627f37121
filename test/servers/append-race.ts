import { open } from '../../src/index.ts'
import { startWorker } from '../../src/stores/conformance/processes.ts'

/**
 * Many processes append to one session, each append twice with its key. Returns the acknowledged and the stored
 * sequences.
 */
export async function appendRace(target: string, processes: number, each: number) {
  const tl = await open(target)
  const session = await tl.sessions.create({ userId: 'ada' })
  const start = performance.now()
  const workers = Array.from({ length: processes }, (_, n) =>
    startWorker(target, { do: 'append', sessionId: session.id, count: each, label: `process ${n}`, times: 2 }),
  )
  const told = (await Promise.all(workers.map(({ done }) => done))).flat() as number[][]
  const seconds = (performance.now() - start) / 1000
  const contents: string[] = []
  const sequences: number[] = []
  for (let after = 1; ; ) {
    const page = await session.events({ after, limit: 500 })
    contents.push(...page.map((event) => event.content))
    sequences.push(...page.map((event) => event.sequence))
    after = page.at(-1)?.sequence ?? 0
    if (after === 0) break
  }
  const { differences } = await tl.verify()
  await tl.close()
  return { told, contents, sequences, differences, seconds }
}
