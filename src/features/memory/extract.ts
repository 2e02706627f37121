import type { Extraction, Remembered } from '../../api.ts'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Fact } from '../../domain/memory/extract.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { findSession } from '../sessions/operation.ts'
import { keep } from './remember.ts'
import type { Statement } from './writing.ts'

/** Events per read. */
const PAGE = 200

/**
 * Extracts memories from the events of a session that were not read yet and are on its line. The memories and the reading position are
 * written together, so each fact is stored once despite crashes and concurrent readers.
 */
export async function extractMemories(deps: Deps, session: string): Promise<Extraction> {
  const id = await findSession(deps, session)
  const view = await deps.store.load(keyOf(deps, id))
  if (view === undefined) throw new SessionNotFoundError(id)
  const { tenant, userId } = view.record
  const memories: Remembered[] = []
  let first: number | undefined
  for (;;) {
    const mark = await deps.store.index.mark(id)
    if (mark === undefined) throw new SessionNotFoundError(id)
    const { extracted, copied, head } = mark
    first ??= Math.max(extracted, copied) + 1
    if (extracted >= head) return report(id, first, extracted, memories)
    const after = Math.max(extracted, copied)
    const page = await deps.store.read({ sessionId: id }, { after, line: true, order: 'asc', limit: PAGE })
    const { facts } = await deps.extract({ events: page.map((event) => sessionEvent(id, event)) })
    const statements = facts.slice(0, LIMITS.memories).map((fact) => statementOf(id, fact))
    const to = page.at(-1)?.sequence ?? head
    const kept = await keep(deps, { tenant, userId }, statements, {
      mark: { sessionId: id, from: extracted, to },
    })
    memories.push(...(kept ?? []))
  }
}

function statementOf(sessionId: string, { category, content, sourceType, confidence, from, to }: Fact): Statement {
  return { category, content, sourceType, confidence, source: { sessionId, from, to } }
}

function report(sessionId: string, from: number, to: number, memories: Remembered[]): Extraction {
  const created = memories.filter(({ outcome }) => outcome === 'created').length
  return { sessionId, from, to, created, merged: memories.length - created, memories }
}
