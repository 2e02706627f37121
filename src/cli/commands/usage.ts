import { z } from 'zod'
import type { Page, StorageReport, UsageBy, UsageReport } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
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
  summary: 'sum the tokens and costs of model calls, or what is stored',
  more: [
    'Days are in UTC. "input" includes cached tokens. "cost" counts the calls whose',
    'cost is known.',
    '',
    'With --storage it sums what users or tenants store, as storage quotas count it.',
    '',
    'Example: throughline usage --by user --since 7d',
    '         throughline usage --storage --by tenant',
  ].join('\n'),
  options: [
    { flags: '--by <name>', description: `one line per ${BY.join(', ')} (default: day)` },
    { flags: '--storage', description: 'what is stored: one line per tenant or user (default: tenant)' },
    { flags: '--user <id>', description: 'only sessions of this user' },
    { flags: '--tenant <id>', description: 'only sessions of this tenant (default: "local"; with --by tenant: all)' },
    { flags: '--since <day>', description: 'first day, or an age (2026-01-31, 7d)' },
    { flags: '--until <day>', description: 'day after the last one, or an age' },
    { flags: '--limit <count>', description: `lines per page, up to ${LIMITS.page} (default: 100)` },
    { flags: '--cursor <cursor>', description: 'nextCursor of the previous page' },
  ],
  input: z.strictObject({
    by: z.enum(BY, `must be one of ${BY.join(', ')}`).optional(),
    storage: z.boolean().default(false),
    user: nameOption().optional(),
    tenant,
    since: day.optional(),
    until: day.optional(),
    limit: wholeNumber(1, LIMITS.page).optional(),
    cursor: z.string().min(1, 'must not be empty').optional(),
  }),

  async run({ user: userId, storage, by, since, until, ...query }, { target, output }) {
    const asked = { userId, ...query }
    if (storage) {
      if (since !== undefined) throw new ValidationError('since', NO_DAYS)
      if (until !== undefined) throw new ValidationError('until', NO_DAYS)
      const page = await withStore(target, (tl) => tl.storage(defined({ by: storageBy(by), ...asked })))
      printPage(output, page, 'Nothing is stored.', formatStorage)
      return undefined
    }
    const shown = by ?? 'day'
    const page = await withStore(target, (tl) => tl.usage(defined({ by: shown, since, until, ...asked })))
    const isWhole = page.nextCursor === undefined && query.cursor === undefined
    printPage(output, page, 'No usage.', (items) => formatReport(shown, items, isWhole, output))
    return undefined
  },
})

const NO_DAYS = 'is not for --storage: it shows what is stored now'

function printPage<Item>(
  output: Output,
  page: Page<Item>,
  none: string,
  format: (items: readonly Item[]) => string,
): void {
  const { items, nextCursor } = page
  const table = items.length === 0 ? none : format(items)
  output.print(nextCursor === undefined ? table : `${table}\n\nNext page: --cursor ${nextCursor}`, page)
}

function storageBy(by: UsageBy = 'tenant'): 'tenant' | 'user' {
  if (by !== 'tenant' && by !== 'user') throw new ValidationError('by', 'must be one of tenant, user with --storage')
  return by
}

function formatStorage(items: readonly StorageReport[]): string {
  const column = (title: keyof StorageReport) => ({
    title,
    value: (item: StorageReport) => count(Number(item[title])),
    align: 'right' as const,
  })
  const name = 'userId' in (items[0] ?? {}) ? 'userId' : 'tenant'
  return renderTable(items, [
    { title: name === 'userId' ? 'user' : 'tenant', value: (item) => item[name], maxWidth: 40 },
    column('sessions'),
    column('events'),
    column('memories'),
    column('bytes'),
  ])
}

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
