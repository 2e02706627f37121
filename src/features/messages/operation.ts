import { checkLive } from '../../domain/record.ts'
import type { Deps } from '../deps.ts'
import { decideOn } from '../events.ts'

/** Hides what was said so far from messages and windows. */
export async function clearMessages(deps: Deps, sessionId: string): Promise<void> {
  await decideOn(deps, sessionId, ({ record }, at) => {
    checkLive(record, at)
    return [{ type: 'messages_cleared', content: 'Earlier messages hidden' }]
  })
}
