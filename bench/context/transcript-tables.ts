import type { PartOptions, PartTable } from '../part.ts'
import { urlOf } from '../parts/target.ts'
import type { Row } from '../table.ts'
import { timeRows } from './call-times.ts'
import { replayTables } from './replay-tables.ts'
import { checkSameContexts } from './same-on-stores.ts'
import { syntheticSession } from './synthetic-session.ts'
import { importTranscripts, type Recording, readRecordings, transcriptsFolder } from './transcripts.ts'

const SEEDS = [1, 2, 3]
const EVENTS = 700
const PROCESSES = 8

/**
 * X2 to X7: contexts of coding agents' sessions, real ones where there are transcripts, and synthetic ones. The
 * contexts are the same on every store, so the replays run once, and the times are taken on each.
 */
export async function* transcriptTables(options: PartOptions): AsyncGenerator<PartTable> {
  const { store, quick, places } = options
  const recordings = await readTranscripts(options)
  const synthetic = SEEDS.slice(0, quick ? 1 : SEEDS.length).map((seed) => syntheticSession(seed, EVENTS))
  if (store === 'sqlite') {
    if (recordings.length > 0) yield* replayTables('transcripts', recordings)
    yield* replayTables('synthetic', synthetic)
  }
  const url = await urlOf(store, places)
  const processes = quick ? 2 : PROCESSES
  const longest = recordings.toSorted((a, b) => b.events.length - a.events.length)[0]
  const rows: Row[] = longest === undefined ? [] : await timeRows(url, 'transcript', longest, processes)
  rows.push(...(await timeRows(url, 'synthetic', syntheticSession(1, 2000), processes)))
  yield { id: 'X6', title: 'context() of a session of 2,000 events', by: 'time', rows }
  await places.clear()
}

async function readTranscripts({ store, places }: PartOptions): Promise<Recording[]> {
  const folder = transcriptsFolder()
  if (folder === undefined) {
    console.log(
      'There are no transcripts to replay: put some into ../shared/data/transcripts, or name TRANSCRIPTS_DIR.',
    )
    return []
  }
  const imported = await importTranscripts(folder, places.file())
  const recordings = await readRecordings(imported)
  console.log(`Transcripts: ${recordings.length} sessions`)
  await checkSameContexts(imported, store === 'sqlite' ? 'memory:' : await urlOf(store, places))
  await imported.close()
  return recordings
}
