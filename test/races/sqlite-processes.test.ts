import { expect, it } from 'vitest'
import { open } from '../../src/index.ts'
import { startWorker } from '../../src/stores/conformance/processes.ts'
import { amount, printFigure, withDatabaseFile } from '../proof.ts'

const PROCESSES = amount(8, 16)
const EACH = amount(40, 500)

async function race(times?: number) {
  return await withDatabaseFile(async (path) => {
    const tl = await open(`sqlite:${path}`)
    const session = await tl.sessions.create({ userId: 'ada' })
    const start = performance.now()
    const workers = Array.from({ length: PROCESSES }, (_, n) =>
      startWorker(`sqlite:${path}`, {
        do: 'append',
        sessionId: session.id,
        count: EACH,
        label: `process ${n}`,
        ...(times !== undefined && { times }),
      }),
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
  })
}

const all = Array.from({ length: PROCESSES * EACH }, (_, i) => i + 2)

it(`gives dense sequences to ${PROCESSES} processes that append to one session`, { timeout: 600_000 }, async () => {
  const { told, contents, sequences, differences, seconds } = await race()
  expect(sequences).toEqual(all)
  expect(told.flat().sort((a, b) => a - b)).toEqual(all)
  expect(new Set(contents).size).toBe(PROCESSES * EACH)
  expect(differences).toEqual([])
  printFigure(`${PROCESSES} processes × ${EACH} appends on one session: dense, none lost, ${seconds.toFixed(1)} s`)
})

it(`writes once what ${PROCESSES} processes each send twice with its key`, { timeout: 600_000 }, async () => {
  const { told, contents, sequences, differences, seconds } = await race(2)
  expect(sequences).toEqual(all)
  for (const [first, second] of told) expect(second).toBe(first)
  expect(told.map(([first]) => first ?? 0).sort((a, b) => a - b)).toEqual(all)
  expect(new Set(contents).size).toBe(PROCESSES * EACH)
  expect(differences).toEqual([])
  printFigure(`the same, every append sent twice with its key: each once, ${seconds.toFixed(1)} s`)
})
