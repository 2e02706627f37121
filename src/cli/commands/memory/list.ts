import { z } from 'zod'
import { LIMITS } from '../../../domain/limits.ts'
import { isCurrent, type Memory } from '../../../domain/memory/memory.ts'
import { parse } from '../../../features/kernel/parse.ts'
import type { Command } from '../../command.ts'
import { formatMemories } from '../../memory/memories-table.ts'
import { given, tenant, user, wholeNumber } from '../../option-schemas.ts'
import { withStore } from '../../target.ts'

const listInput = z.strictObject({
  user,
  tenant,
  limit: wholeNumber(1, LIMITS.page).default(100),
  cursor: z.string().optional(),
})

export const listCommand: Command = {
  usage: 'list',
  summary: 'list every memory of a user, expired and superseded ones too',
  more: 'In order of id, a page at a time.\n\nExample: throughline memory list --user ada --limit 20',
  options: [
    { flags: '--user <id>', description: 'whose memories (required)' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
    { flags: '--limit <count>', description: 'memories on a page (default: 100)' },
    { flags: '--cursor <cursor>', description: 'where the page before ended' },
  ],

  async run(input, { target, output }) {
    const { user: userId, limit, ...rest } = parse(listInput, input)
    const page = await withStore(target, ({ memories }) => memories.list({ userId, limit, ...given(rest) }))
    const { items, nextCursor } = page
    const state = { title: 'state', value: memoryState }
    const text = items.length === 0 ? 'Nothing is remembered.' : formatMemories(items, [state], output)
    output.print(nextCursor === undefined ? text : `${text}\n\nThere are more: --cursor ${nextCursor}`, page)
    return undefined
  },
}

function memoryState(memory: Memory): string {
  if (memory.supersededBy !== undefined) return 'superseded'
  return isCurrent(memory, new Date().toISOString()) ? 'current' : 'expired'
}
