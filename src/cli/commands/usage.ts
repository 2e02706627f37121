import { z } from 'zod'
import type { UsageBy, UsageReport } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { addSums, dayOf, NO_USAGE, type UsageSums } from '../../domain/usage.ts'
import { command } from '../command.ts'
import { nameOption, tenant, timeOrAge, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { withStore } from '../target.ts'

const BY = ['day', 'user', 'tenant', 'model'] as const satisfies readonly UsageBy[]

const day = timeOrAge.transform((time) => dayOf(new Date(time).toISOString()))

export const usageCommand = command({
  usage: 'usage',
  summary: 'sum the tokens and costs of model calls',
  more: [
    'Days are in UTC. "input" includes cached tokens. "cost" counts the calls whose',
    'cost is known.',
    '',
    'Example: throughline usage --by user --since 7d',
  ].join('\n'),
  options: [
    { flags: '--by <name>', description: `one line per ${BY.join(', ')} (default: day)` },
    { flags: '--user <id>', description: 'only sessions of this user' },
    { flags: '--tenant <id>', description: 'only sessions of this tenant (default: "local"; with --by tenant: all)' },
    { flags: '--since <day>', description: 'first day, or an age (2026-01-31, 7d)' },
    { flags: '--until <day>', description: 'day after the last one, or an age' },
    { flags: '--limit <count>', description: `lines per page, up to ${LIMITS.page} (default: 100)` },
    { flags: '--cursor <cursor>', description: 'nextCursor of the previous page' },
  ],
  input: z.strictObject({
    by: z.enum(BY, `must be one of ${BY.join(', ')}`).default('day'),
    user: nameOption().optional(),
    tenant,
    since: day.optional(),
    until: day.optional(),
    limit: wholeNumber(1, LIMITS.page).optional(),
    cursor: z.string().min(1, 'must not be empty').optional(),
  }),

  async run({ user: userId, ...query }, { target, output }) {
    const page = await withStore(target, (tl) => tl.usage(defined({ userId, ...query })))
    const { items, nextCursor } = page
    const isWhole = nextCursor === undefined && query.cursor === undefined
    const table = items.length === 0 ? 'No usage.' : formatReport(query.by, items, isWhole, output)
    output.print(nextCursor === undefined ? table : `${table}\n\nNext page: --cursor ${nextCursor}`, page)
    return undefined
  },
})

/** A table with one line per item, and one with the total if these are all items. */
function formatReport(by: UsageBy, items: readonly UsageReport[], isWhole: boolean, { paint }: Output): string {
  const rows: { name: string; sums: UsageSums; isTotal?: true }[] = items.map((item) => ({
    name: item[by === 'user' ? 'userId' : by],
    sums: item,
  }))
  if (isWhole && rows.length > 1) rows.push({ name: 'total', sums: items.reduce(addSums, NO_USAGE), isTotal: true })
  const bold = (text: string, { isTotal }: { isTotal?: true }) => (isTotal ? paint('bold', text) : text)
  const column = (title: string, value: (sums: UsageSums) => string) => ({
    title,
    value: ({ sums }: { sums: UsageSums }) => value(sums),
    align: 'right' as const,
    paint: bold,
  })
  return renderTable(rows, [
    { title: by, value: ({ name }) => name, maxWidth: 40, paint: bold },
    column('calls', ({ messages }) => count(messages)),
    column('input', ({ inputTokens }) => count(inputTokens)),
    column('cache read', ({ cacheReadTokens }) => count(cacheReadTokens)),
    column('cache write', ({ cacheWriteTokens }) => count(cacheWriteTokens)),
    column('output', ({ outputTokens }) => count(outputTokens)),
    column('cost', ({ costUsd }) => (costUsd === 0 ? '-' : `$${costUsd.toFixed(4)}`)),
  ])
}

const count = (tokens: number) => tokens.toLocaleString('en')
