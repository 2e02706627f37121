import { z } from 'zod'
import type { FoundMemory } from '../../../api.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { defined } from '../../../domain/optional.ts'
import { reportCommand } from '../../command.ts'
import { formatMemories } from '../../memory/memories-table.ts'
import { category, fraction, MEMORY_OWNER, tenant, USER_TENANT, user, wholeNumber } from '../../option-schemas.ts'

export const searchCommand = reportCommand({
  usage: 'search <query>',
  summary: 'search the memories of a user, best match first',
  more: [
    'Read-only: does not mark memories as used. Skips expired and superseded ones.',
    'Long lines are cut, and ids need 110 columns; --json prints everything.',
    '',
    'Example: throughline memory search "which test runner" --user ada',
  ].join('\n'),
  options: [
    MEMORY_OWNER,
    USER_TENANT,
    { flags: '--category <name>', description: 'only facts, preferences, rules, skills or context' },
    { flags: '--scope <name>', description: 'only memories with this scope' },
    { flags: '--min-confidence <number>', description: 'only memories with at least this confidence, 0 to 1' },
    { flags: '--limit <count>', description: 'number of memories (default: 10)' },
  ],
  input: z.strictObject({
    query: z.string(),
    user,
    tenant,
    category: category.optional(),
    scope: z.string().optional(),
    minConfidence: fraction.optional(),
    limit: wholeNumber(1, LIMITS.page).default(10),
  }),

  work: ({ memories }, { user: userId, query, limit, ...filters }) =>
    memories.search({ userId, query, limit, record: false, ...defined(filters) }),
  format({ items }, output) {
    const score = { title: 'score', value: ({ score }: FoundMemory) => score.toFixed(2) }
    return items.length === 0 ? 'No matching memories.' : formatMemories(items, [score], output)
  },
})
