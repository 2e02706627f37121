import type { Observation } from '../../api/types.ts'
import { DECISION, hasFailed } from '../../domain.ts'
import type { Step } from './steps.ts'

/** The step in which something last occurred. */
export interface Occurrence {
  readonly sequence: number
  readonly at: string
}

/** A file with its reads and writes. */
export interface FileEntry {
  path: string
  reads: number
  writes: number
  /** Of the last write, if known. */
  hash?: string | undefined
  bytes?: number | undefined
  last: Occurrence
}

/** A command line with its last run. */
export interface CommandEntry {
  command: string
  runs: number
  failures: number
  exitCode?: number | undefined
  output?: string | undefined
  omitted?: number | undefined
  last: Occurrence
}

/** A decision, a note or a plan. */
export interface NoteEntry {
  kind: 'decision' | 'note' | 'plan'
  id: string
  text: string
  /** The state change that wrote it. */
  about?: string
  last: Occurrence
}

/** The work of a session by file, command and note; the most recently touched comes first. */
export interface WorkIndex {
  readonly files: FileEntry[]
  readonly commands: CommandEntry[]
  readonly notes: NoteEntry[]
  /** Texts of notes, plans and decisions by the id in their graph nodes. */
  readonly texts: ReadonlyMap<string, string>
}

/** Indexes steps, which come oldest first. */
export function indexWork(steps: readonly Step[]): WorkIndex {
  const files = new Map<string, FileEntry>()
  const commands = new Map<string, CommandEntry>()
  const notes: NoteEntry[] = []
  for (const { sequence, at, observations } of steps) {
    const last = { sequence, at }
    const own: NoteEntry[] = []
    for (const observed of observations) {
      switch (observed.kind) {
        case 'fileRead':
        case 'fileWrite':
          moveToEnd(files, observed.path, updateFile(files.get(observed.path), observed, last))
          break
        case 'command':
          moveToEnd(commands, observed.command, updateCommand(commands.get(observed.command), observed, last))
          break
        case 'note':
        case 'plan':
          own.push(toNote(observed, last))
          break
        case 'relations':
          break
      }
    }
    notes.push(...addDecisions(own, observations, last))
  }
  return {
    files: [...files.values()].reverse(),
    commands: [...commands.values()].reverse(),
    notes: notes.toReversed(),
    texts: new Map(notes.map(({ id, text }) => [id, text])),
  }
}

/** Keeps entries whose text contains every word of the filter, ignoring case. */
export function filterWork({ files, commands, notes, texts }: WorkIndex, filter: string): WorkIndex {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (text: string) => words.every((word) => text.includes(word))
  return {
    files: files.filter(({ path }) => matches(path.toLowerCase())),
    commands: commands.filter(({ command }) => matches(command.toLowerCase())),
    notes: notes.filter(({ kind, about = '', text }) => matches(`${kind} ${about} ${text}`.toLowerCase())),
    texts,
  }
}

/** Counts observations by kind: `2 files written, 1 note`. */
export function describeCounts(observations: readonly Observation[]): string {
  const counts = new Map<Observation['kind'], number>()
  for (const { kind } of observations) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const parts = [...counts].map(([kind, count]) => `${count} ${NAMES[kind][count === 1 ? 0 : 1]}`)
  return parts.length === 0 ? 'no observations' : parts.join(', ')
}

const NAMES = {
  fileWrite: ['file written', 'files written'],
  fileRead: ['file read', 'files read'],
  command: ['command', 'commands'],
  note: ['note', 'notes'],
  plan: ['plan', 'plans'],
  relations: ['set of relations', 'sets of relations'],
} as const satisfies Record<Observation['kind'], readonly [string, string]>

function toNote(observed: Observation & { kind: 'note' | 'plan' }, last: Occurrence): NoteEntry {
  const { id, text } = observed
  if (observed.kind === 'plan') return { kind: 'plan', id, text, last }
  const about = observed.about === undefined ? {} : { about: observed.about }
  if (!DECISION.test(text)) return { kind: 'note', id, text, ...about, last }
  return { kind: 'decision', id, text: text.replace(DECISION, ''), ...about, last }
}

/** A `decidedIn` relation turns a note of the same step into a decision; any other node's name is the decision. */
function addDecisions(own: readonly NoteEntry[], observations: readonly Observation[], last: Occurrence): NoteEntry[] {
  const decided = observations
    .flatMap((observed) => (observed.kind === 'relations' ? observed.edges : []))
    .filter(({ label }) => label === 'decidedIn')
    .map(({ from }) => ({ from, name: from.slice(from.indexOf(':') + 1) }))
  const named = new Set(decided.map(({ from }) => from))
  const notes = own.map((one) => (named.has(`note:${one.id}`) ? { ...one, kind: 'decision' as const } : one))
  const known = new Set(own.map(({ id }) => id))
  const others = new Set(decided.map(({ name }) => name).filter((name) => !known.has(name)))
  return [...notes, ...Array.from(others, (name): NoteEntry => ({ kind: 'decision', id: name, text: name, last }))]
}

function updateFile(
  before: FileEntry | undefined,
  observed: Observation & { kind: 'fileRead' | 'fileWrite' },
  last: Occurrence,
): FileEntry {
  const { path } = observed
  const { reads = 0, writes = 0, hash, bytes } = before ?? {}
  if (observed.kind === 'fileRead') return { path, reads: reads + 1, writes, hash, bytes, last }
  return { path, reads, writes: writes + 1, hash: observed.hash, bytes: observed.bytes, last }
}

function updateCommand(
  before: CommandEntry | undefined,
  { command, exitCode, output, omitted }: Observation & { kind: 'command' },
  last: Occurrence,
): CommandEntry {
  const { runs = 0, failures = 0 } = before ?? {}
  return {
    command,
    runs: runs + 1,
    failures: failures + Number(hasFailed({ exitCode })),
    exitCode,
    output,
    omitted,
    last,
  }
}

function moveToEnd<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
}
