import type { Throughline } from '../api.ts'
import { KeyedMutex } from '../features/kernel/keyed-mutex.ts'

/** What the tools work with: the sessions and memories of one user. */
export interface ToolContext {
  /** Sees only what belongs to the user. */
  readonly tl: Throughline
  readonly userId: string
  /** Runs the writes to one session in order. */
  readonly sessionMutex: KeyedMutex
  /** By session: the note that could not be written and is still staged in the process. */
  readonly unwrittenNotes: Map<string, string>
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void
}

export function createToolContext(tl: Throughline, userId: string, report: ToolContext['report']): ToolContext {
  return { tl, userId, sessionMutex: new KeyedMutex(), unwrittenNotes: new Map(), report }
}
