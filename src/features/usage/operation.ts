import type { Page, StorageBy, StorageQuery, StorageReport, UsageBy, UsageQuery, UsageReport } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { DEFAULT_PAGE } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { isWithin } from '../../domain/record.ts'
import { tenantFor } from '../kernel/access.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { storedBytes } from '../kernel/quotas.ts'
import { storageQuery, usageQuery } from './schema.ts'

const NAMES = { user: 'userId', tenant: 'tenant', day: 'day', model: 'model' } as const

/** One page of a report, in ascending order of what it has one item for. */
export async function reportUsage<By extends UsageBy>(
  deps: Deps,
  query: UsageQuery<By>,
): Promise<Page<UsageReport<By>>> {
  const { since, until, ...asked } = parse(usageQuery, query)
  return await pageOf(deps, asked, (page) => deps.store.usage(defined({ ...page, since, until })))
}

/** One page of what users or tenants store. */
export async function reportStorage<By extends StorageBy>(
  deps: Deps,
  query: StorageQuery<By>,
): Promise<Page<StorageReport<By>>> {
  return await pageOf(deps, parse(storageQuery, query), async (page) => {
    const groups = await deps.store.storage(page)
    return groups.map((group) => ({ ...group, bytes: storedBytes(group) }))
  })
}

interface Asked<By> {
  by: By
  cursor?: string | undefined
  limit?: number | undefined
  tenant?: string | undefined
  userId?: string | undefined
}

interface GroupPage<By> {
  readonly by: By
  readonly tenant?: string
  readonly userId?: string
  readonly after?: string
  readonly limit: number
}

/** The page of groups that the caller may see. */
async function pageOf<By extends UsageBy, Item>(
  deps: Deps,
  { by, cursor, limit = DEFAULT_PAGE, tenant: wanted, userId: named }: Asked<By>,
  read: (page: GroupPage<By>) => Promise<readonly { key: string }[]>,
): Promise<Page<Item>> {
  const isOfAll = by === 'tenant' && wanted === undefined && deps.within === undefined
  const tenant = isOfAll ? undefined : tenantFor(deps, wanted)
  const userId = named ?? deps.within?.userId
  if (tenant !== undefined && !isWithin({ tenant, userId: userId ?? '' }, deps.within)) return { items: [] }
  const after = cursor === undefined ? undefined : decodeCursor(cursor, by)
  // one more than requested tells whether there is another page
  const groups = await read({ by, ...defined({ tenant, userId, after }), limit: limit + 1 })
  const items = groups.slice(0, limit).map(({ key, ...sums }) => ({ [NAMES[by]]: key, ...sums }) as Item)
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
