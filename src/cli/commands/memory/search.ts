import { z } from 'zod'
import type { FoundMemory } from '../../../api.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { parse } from '../../../features/kernel/parse.ts'
import type { Command } from '../../command.ts'
import { formatMemories } from '../../memory/memories-table.ts'
import { category, fraction, given, tenant, user, wholeNumber } from '../../option-schemas.ts'
import { withStore } from '../../target.ts'

const searchInput = z.strictObject({
  query: z.string(),
  user,
  tenant,
  category: category.optional(),
  scope: z.string().optional(),
  minConfidence: fraction.optional(),
  limit: wholeNumber(1, LIMITS.page).default(10),
})

export const searchCommand: Command = {
  usage: 'search <query>',
  summary: 'find memories of a user, best first',
  more: [
    'Only looks: what it finds does not count as used. Expired and superseded',
    'memories never come back. Lines are cut to the terminal, and have ids where',
    'it is 110 columns wide or more; --json has all.',
    '',
    'Example: throughline memory search "which test runner" --user ada',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'whose memories (required)' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
    { flags: '--category <name>', description: 'only facts, preferences, rules, skills or context' },
    { flags: '--scope <name>', description: 'only those that hold there' },
    { flags: '--min-confidence <number>', description: 'only those believed at least so far, 0 to 1' },
    { flags: '--limit <count>', description: 'at most so many (default: 10)' },
  ],

  async run(input, { target, output }) {
    const { query, user: userId, limit, ...filters } = parse(searchInput, input)
    const found = await withStore(target, ({ memories }) =>
      memories.search({ userId, query, limit, record: false, ...given(filters) }),
    )
    const score = { title: 'score', value: ({ score }: FoundMemory) => score.toFixed(2) }
    const text = found.items.length === 0 ? 'No memory fits.' : formatMemories(found.items, [score], output)
    output.print(text, found)
    return undefined
  },
}
