import type { RecallItem } from '../../api/types.ts'
import { memoryHref } from '../../route.ts'
import { RecallResults } from '../memory/recall-results.tsx'

interface Props {
  readonly items: readonly RecallItem[]
  readonly userId: string
  readonly tenant: string
  readonly currentSession: string
}

/** The recalled items that fit, with links to their sources. */
export function RecalledList({ items, userId, tenant, currentSession }: Props) {
  if (items.length === 0) {
    return <p class="muted">Nothing recalled: no other session or memory of this user matches, or none fits.</p>
  }
  return (
    <RecallResults
      items={items}
      hrefOf={(id) => memoryHref({ user: userId, tenant, memory: id })}
      currentSession={currentSession}
      label="Recalled"
    />
  )
}
