import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { APPENDABLE_TYPES, type EventInput, open, type SessionEvent, type Throughline } from '../../dist/index.js'

/** A session to replay. */
export interface Recording {
  /** Id of the session, or a name. */
  id: string
  task?: string
  events: EventInput[]
}

const program = fileURLToPath(new URL('../../bin/throughline.js', import.meta.url))
const PAGE = 500

/** Folder with transcripts of Claude Code: `TRANSCRIPTS_DIR`, else next to the project. They are not part of it. */
export function transcriptsFolder(): string | undefined {
  const given = process.env['TRANSCRIPTS_DIR']
  const folder = given ?? fileURLToPath(new URL('../../../shared/data/transcripts', import.meta.url))
  return existsSync(folder) ? folder : undefined
}

/** Imports every transcript below the folder into a new SQLite file, with the program that users call. */
export async function importTranscripts(folder: string, file: string): Promise<Throughline> {
  const url = `sqlite:${file}`
  const args = ['import', '--from', 'claude-code', folder, '--user', 'bench', '--url', url]
  const { stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })
  if (!existsSync(file)) throw new Error(`The transcripts could not be imported: ${stdout}${stderr}`)
  if (stderr.trim() !== '') console.log(stderr.trim())
  return await open({ url, index: false })
}

/** Reads the sessions of a store, sorted by id: sub-agents too. */
export async function readRecordings(tl: Throughline): Promise<Recording[]> {
  const recordings: Recording[] = []
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await tl.sessions.list({ limit: 100, ...(cursor !== undefined && { cursor }) })
    for (const { id, task } of items) {
      recordings.push({ id, ...(task !== undefined && { task }), events: await readEvents(tl, id) })
    }
    if (nextCursor === undefined) break
    cursor = nextCursor
  }
  return recordings.sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Reads the events that a caller could have appended. */
async function readEvents(tl: Throughline, id: string): Promise<EventInput[]> {
  const session = await tl.sessions.get(id)
  const events: EventInput[] = []
  for (let after = 0; ; ) {
    const page = await session.events({ after, limit: PAGE })
    const last = page.at(-1)
    if (last === undefined) return events
    events.push(...page.filter(isAppendable).map(toInput))
    after = last.sequence
  }
}

function isAppendable({ type }: SessionEvent): boolean {
  return type.startsWith('x.') || (APPENDABLE_TYPES as readonly string[]).includes(type)
}

function toInput({ type, role, content, parts, agentId, occurredAt }: SessionEvent): EventInput {
  return {
    ...{ type, role, content },
    ...(parts !== undefined && { parts }),
    ...(agentId !== undefined && { agentId }),
    ...(occurredAt !== undefined && { occurredAt }),
  }
}
