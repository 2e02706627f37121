import type { CommandResult } from '../servers/run-cli.ts'

/** Runs one command line on the target of the tour. */
export type Run = (args: readonly string[]) => Promise<CommandResult>

/** What the tour finds around it. */
export interface TourTarget {
  /** The store or server it is on. */
  url: string
  /** Documents for `memory import`, as JSON Lines. */
  documents: string
  /** Transcripts for `import --from claude-code`. */
  transcript: string
  /** A session in it. */
  transcribed: string
  /** Database of an older system, as `backfill --from` takes it. */
  legacy: string
  /** Where exports may be written. */
  folder: string
  /** Whether there is a cache in front of the store. */
  cached: boolean
}

/** A command of the tour, and what the shell saw of it. */
export interface Step extends CommandResult {
  args: readonly string[]
  /** Exit code that it should leave with. */
  expected: number
}

/** Runs every command once, in the order in which someone might. `json` adds `--json` to each. */
export async function takeTour(run: Run, place: TourTarget, json: boolean): Promise<Step[]> {
  const steps: Step[] = []
  const step = async (args: readonly string[], expected = 0): Promise<Step> => {
    const all = json ? [...args, '--json'] : args
    const taken = { args: all, expected, ...(await run(all)) }
    steps.push(taken)
    return taken
  }
  /** Looks something up without showing it. */
  const look = async <T>(args: readonly string[]) => JSON.parse((await run([...args, '--json'])).stdout) as T

  await step(['migrate'])
  await step(['doctor'])
  await step(['demo', '--url', place.url])
  await step(['sessions', '--user', 'ada'])
  await step(['usage', '--user', 'ada'])
  const { items } = await look<{ items: Found[] }>(['sessions', '--user', 'ada'])
  const live = named(items, ({ status }) => status.state === 'running')
  const ended = named(items, ({ status }) => status.state === 'complete')
  await step(['show', ended.id])
  await step(['tail', ended.id, '--last', '4'])
  await step(['resume', live.conversationId, '--user', 'ada'])
  await step(['runs', live.id])
  await step(['cancel', live.id, '--reason', 'a new plan'])
  await step(['requests', '--user', 'ada'])
  await step(['requests', live.id])
  await step(['requests', live.id, '--resolve', 'none', '--value', 'true'], 2)
  await step(['rewind', live.id, '2', '--reason', 'another way'])
  await step(['compact', ended.id])
  await step(['sweep'])
  await step(['index', '--user', 'ada'])
  await step(['recall', 'how long does connect wait', '--user', 'ada'])

  await step(['memory', 'import', place.documents, '--user', 'ada'])
  await step(['memory', 'list', '--user', 'ada', '--limit', '5'])
  await step(['memory', 'search', 'test runner', '--user', 'ada'])
  const found = await look<{ items: { id: string }[] }>(['memory', 'search', 'test runner', '--user', 'ada'])
  const memoryId = found.items[0]?.id ?? ''
  await step(['memory', 'show', memoryId])
  await step(['memory', 'export', '--user', 'ada', '--out', `${place.folder}/memories.jsonl`])
  await step(['memory', 'forget', memoryId])

  const file = `${place.folder}/sessions.jsonl`
  await step(['export', '--out', file])
  await step(['export', ended.id, '--out', `${place.folder}/one.jsonl`])
  await step(['import', file])
  await step(['import', '--from', 'claude-code', place.transcript, '--user', 'ada'])
  await step(['show', place.transcribed])
  await step(['verify'])

  await step(['intake', 'status'])
  await step(['backfill', '--from', place.legacy, '--batch', 'first'])
  await step(['warm'], place.cached ? 0 : 2)
  await step(['export', '--cache', '--out', `${place.folder}/cache.jsonl`], place.cached ? 0 : 2)
  await step(['rollback', '--batch', 'first'])
  await step(['rollback', '--batch', 'first', '--yes'])
  // what it took away can be folded from the logs again
  await step(['verify'], 7)
  await step(['rebuild'])
  await step(['verify'])
  await step(['intake', 'resume'])
  await step(['intake', 'pause'])
  await step(['intake', 'resume'])
  await step(['purge', live.id, '--yes'])
  await step(['purge', '--user', 'ada', '--yes'])
  return steps
}

interface Found {
  id: string
  conversationId: string
  status: { state: string }
}

function named(items: readonly Found[], fits: (item: Found) => boolean): Found {
  const found = items.find(fits)
  if (found === undefined) throw new Error('the demo left no such session')
  return found
}
