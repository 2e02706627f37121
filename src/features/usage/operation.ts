import type { Page, UsageBy, UsageQuery, UsageReport } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { DEFAULT_PAGE } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { isWithin } from '../../domain/record.ts'
import { tenantFor } from '../kernel/access.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { usageQuery } from './schema.ts'

const NAMES = { user: 'userId', tenant: 'tenant', day: 'day', model: 'model' } as const

/** One page of a report, in ascending order of what it has one item for. */
export async function reportUsage<By extends UsageBy>(
  deps: Deps,
  query: UsageQuery<By>,
): Promise<Page<UsageReport<By>>> {
  const { by, cursor, limit = DEFAULT_PAGE, tenant: wanted, userId: named, since, until } = parse(usageQuery, query)
  const isOfAll = by === 'tenant' && wanted === undefined && deps.within === undefined
  const tenant = isOfAll ? undefined : tenantFor(deps, wanted)
  const userId = named ?? deps.within?.userId
  if (tenant !== undefined && !isWithin({ tenant, userId: userId ?? '' }, deps.within)) return { items: [] }
  const after = cursor === undefined ? undefined : decodeCursor(cursor, by)
  // one more than requested tells whether there is another page
  const groups = await deps.store.usage(defined({ by, tenant, userId, since, until, after, limit: limit + 1 }))
  const items = groups.slice(0, limit).map(({ key, ...sums }) => ({ [NAMES[by]]: key, ...sums }) as UsageReport<By>)
  const last = groups[limit - 1]
  return groups.length <= limit || last === undefined ? { items } : { items, nextCursor: encodeCursor(by, last.key) }
}

function encodeCursor(by: UsageBy, key: string): string {
  return Buffer.from(JSON.stringify([by, key])).toString('base64url')
}

function decodeCursor(cursor: string, wanted: UsageBy): string {
  try {
    const [by, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    if (by === wanted && typeof key === 'string' && key.isWellFormed() && !key.includes('\0')) return key
  } catch {
    // refused below
  }
  throw new ValidationError('cursor', `must be the nextCursor of an earlier page by ${wanted}`)
}
