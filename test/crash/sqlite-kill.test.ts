import { expect, it } from 'vitest'
import { open } from '../../src/index.ts'
import { startWorker } from '../../src/stores/conformance/processes.ts'
import { amount, printFigure, withDatabaseFile } from '../proof.ts'

const KILLS = amount(4, 50)
const BATCH = 3

interface Acknowledged {
  label: string
  sequences: number[]
}

it('has every acknowledged event and only whole batches after kill -9 of its writer', {
  timeout: 600_000,
}, async () => {
  await withDatabaseFile(async (path) => {
    const setup = await open(`sqlite:${path}`)
    const { id } = await setup.sessions.create({ userId: 'ada' })
    await setup.close()
    const acknowledged: Acknowledged[] = []

    for (let kill = 1; kill <= KILLS; kill++) {
      const job = { do: 'append-forever', sessionId: id, writers: 8, batch: BATCH, label: `life ${kill}` } as const
      const worker = startWorker(`sqlite:${path}`, job)
      await worker.printed(1 + Math.floor(Math.random() * 150))
      await worker.kill()
      acknowledged.push(...(worker.lines as Acknowledged[]))
    }

    const tl = await open(`sqlite:${path}`)
    const session = await tl.sessions.get(id)
    const kept = new Map<string, number[]>()
    for (let after = 1; ; ) {
      const page = await session.events({ after, limit: 500 })
      for (const { content, sequence } of page) kept.set(content, [...(kept.get(content) ?? []), sequence])
      after = page.at(-1)?.sequence ?? 0
      if (after === 0) break
    }
    for (const { label, sequences } of acknowledged) expect(kept.get(label), label).toEqual(sequences)
    for (const [label, sequences] of kept) {
      const [first = 0] = sequences
      expect(sequences, label).toEqual(Array.from({ length: BATCH }, (_, i) => first + i))
    }
    const { differences, events } = await tl.verify()
    expect(differences).toEqual([])
    await tl.close()
    expect(acknowledged.length).toBeGreaterThan(KILLS)
    const unheard = kept.size - acknowledged.length
    printFigure(`${KILLS} × kill -9: ${acknowledged.length} acknowledged batches all there, ${events} events verified`)
    printFigure(`${unheard} batches were committed in the instant before their acknowledgement could be told`)
  })
})
