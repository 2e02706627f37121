import { open, type Throughline } from '../../dist/index.js'
import { known } from '../measure.ts'
import type { PartTable } from '../part.ts'
import { quantile, type Row } from '../table.ts'
import { questionTables } from './questions.ts'
import { replay, type Sample } from './replay.ts'
import { budgetRows, omittedRows, prefixRows } from './summary.ts'
import type { Recording } from './transcripts.ts'

/** Replays the recordings in memory and yields X2 to X5, and X7 where there are questions about them. */
export async function* replayTables(set: string, recordings: readonly Recording[]): AsyncGenerator<PartTable> {
  const tl = await open({ url: 'memory:', index: false })
  const samples = await replayAll(tl, recordings)
  await tl.close()
  const by = 'value'
  yield { id: `X2 ${set}`, title: 'share of the budget used', by, unit: '% mean', rows: budgetRows(samples) }
  yield { id: `X3 ${set}`, title: 'share that repeats the previous context', by, unit: '%', rows: prefixRows(samples) }
  yield { id: `X4 ${set}`, title: 'omitted per context', by, unit: '2k', rows: omittedRows(samples) }
  yield { id: `X5 ${set}`, title: 'context() within 32k, replayed in memory', by: 'time', rows: [timeRow(samples)] }
  yield* questionTables(samples)
}

async function replayAll(tl: Throughline, recordings: readonly Recording[]): Promise<Sample[]> {
  const samples: Sample[] = []
  for (const recording of recordings) {
    for await (const sample of replay(tl, recording)) {
      // thousands of texts of half a megabyte
      samples.push(sample.isFinal ? sample : { ...sample, text: '' })
    }
  }
  return samples
}

function timeRow(samples: readonly Sample[]): Row {
  const first = samples.filter(({ view }) => view === samples[0]?.view)
  const sorted = first.map(({ ms }) => ms).sort((a, b) => a - b)
  return {
    ...{ name: 'Throughline', kind: 'throughline', note: `${sorted.length} calls` },
    ...known({ p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }),
  }
}
