import type { RecallItem } from '../../api/types.ts'

/** What was found in one session, best first. */
export interface SessionHits {
  readonly sessionId: string
  readonly items: readonly RecallItem[]
}

/** The results of several searches by session: the session with the best result first. */
export function hitsBySession(results: readonly (readonly RecallItem[])[]): SessionHits[] {
  const all = results.flat().toSorted((a, b) => b.score - a.score)
  const groups = new Map<string, RecallItem[]>()
  for (const item of all) {
    if (item.sessionId === undefined || item.sequence === undefined) continue
    const items = groups.get(item.sessionId)
    if (items === undefined) groups.set(item.sessionId, [item])
    else items.push(item)
  }
  return [...groups].map(([sessionId, items]) => ({ sessionId, items }))
}
