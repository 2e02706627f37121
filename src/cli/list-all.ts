import type { Page } from '../api.ts'
import { LIMITS } from '../domain/limits.ts'
import { defined } from '../domain/optional.ts'

/** Every item of a list, read page by page. `first` is the cursor to start at. */
export async function* listAll<Item>(
  list: (page: { limit: number; cursor?: string }) => Promise<Page<Item>>,
  first?: string,
): AsyncGenerator<Item> {
  for (let cursor = first; ; ) {
    const { items, nextCursor } = await list({ limit: LIMITS.page, ...defined({ cursor }) })
    yield* items
    if (nextCursor === undefined) return
    cursor = nextCursor
  }
}
