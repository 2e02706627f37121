import { z } from 'zod'
import { LIMITS } from '../../../domain/limits.ts'
import { isCurrent, type Memory } from '../../../domain/memory/memory.ts'
import { defined } from '../../../domain/optional.ts'
import { reportCommand } from '../../command.ts'
import { formatMemories } from '../../memory/memories-table.ts'
import { MEMORY_OWNER, tenant, USER_TENANT, user, wholeNumber } from '../../option-schemas.ts'

export const listCommand = reportCommand({
  usage: 'list',
  summary: 'list all memories of a user, including expired and superseded ones',
  more: ['Sorted by id, one page at a time.', '', 'Example: throughline memory list --user ada --limit 20'].join('\n'),
  options: [
    MEMORY_OWNER,
    USER_TENANT,
    { flags: '--limit <count>', description: 'memories per page (default: 100)' },
    { flags: '--cursor <cursor>', description: 'nextCursor of the previous page' },
  ],
  input: z.strictObject({
    user,
    tenant,
    limit: wholeNumber(1, LIMITS.page).default(100),
    cursor: z.string().optional(),
  }),

  work: ({ memories }, { user: userId, limit, ...rest }) => memories.list({ userId, limit, ...defined(rest) }),
  format({ items, nextCursor }, output) {
    const state = { title: 'state', value: memoryState }
    const text = items.length === 0 ? 'No memories.' : formatMemories(items, [state], output)
    return nextCursor === undefined ? text : `${text}\n\nNext page: --cursor ${nextCursor}`
  },
})

function memoryState(memory: Memory): string {
  if (memory.supersededBy !== undefined) return 'superseded'
  return isCurrent(memory, new Date().toISOString()) ? 'current' : 'expired'
}
