import type { RecallItem } from '../../api/types.ts'
import { memoryHref } from '../../route.ts'
import { RecallResults } from '../memory/recall-results.tsx'

/** What was recalled and found room, with where it was said. */
export function RecalledList({
  items,
  userId,
  tenant,
  here,
}: {
  items: readonly RecallItem[]
  userId: string
  tenant: string
  here: string
}) {
  if (items.length === 0) {
    return (
      <p class="muted">
        Nothing: no other session and no memory of this user holds anything on it, or none of it found room.
      </p>
    )
  }
  return (
    <RecallResults
      items={items}
      hrefOf={(id) => memoryHref({ user: userId, tenant, memory: id })}
      here={here}
      label="Recalled"
    />
  )
}
