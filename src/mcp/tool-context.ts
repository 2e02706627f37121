import type { Session, Throughline } from '../api.ts'
import { KeyedMutex } from '../features/kernel/keyed-mutex.ts'

/** What the tools work with: the sessions and memories of one person. */
export interface ToolContext {
  /** Sees what is theirs, and nothing else. */
  readonly tl: Throughline
  readonly userId: string
  /** Lets the writes of one session come one after the other. */
  readonly sessionMutex: KeyedMutex
  /** By session: the note that could not be written, and still waits in the process. */
  readonly unwrittenNotes: Map<string, string>
  /** Told of errors that nobody foresaw. */
  readonly report: (error: unknown) => void
}

/** A desk at which nothing waits yet. */
export function createToolContext(tl: Throughline, userId: string, report: ToolContext['report']): ToolContext {
  return { tl, userId, sessionMutex: new KeyedMutex(), unwrittenNotes: new Map(), report }
}

/** The session of that id; throws if it is not theirs. */
export async function sessionOf({ tl }: ToolContext, id: string): Promise<Session> {
  return await tl.sessions.get(id)
}

/** The fields that were given: a model may leave out what it likes, and our calls know no `undefined`. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
