import type { ListMemories, Page } from '../../api.ts'
import { MemoryNotFoundError, ValidationError } from '../../domain/errors.ts'
import { DEFAULT_PAGE, LIMITS } from '../../domain/limits.ts'
import { isEndOfList } from '../../domain/list-size.ts'
import type { Memory, MemoryChange } from '../../domain/memory/memory.ts'
import { defined } from '../../domain/optional.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import { userFor } from '../kernel/access.ts'
import type { Deps } from '../kernel/deps.ts'
import { parse, uuid } from '../kernel/parse.ts'
import { listMemories } from './schema.ts'

/** One memory, if the caller may see it. */
export async function getMemory(deps: Deps, id: string): Promise<Memory> {
  const known = uuid().safeParse(id)
  const [memory, other] = known.success ? await deps.store.memories.get([known.data], deps.within) : []
  if (memory === undefined) throw new MemoryNotFoundError(String(id).slice(0, 64))
  // callers choose ids too, and one user's id must not resolve to another's memory
  if (other !== undefined)
    throw new ValidationError('id', 'belongs to several users: choose one with as({ tenant, userId })')
  return memory
}

/** The existing memories of a user among these, page by page, in the order of the ids. No id occurs twice. */
export async function* memoryPages(deps: Deps, user: UserKey, ids: readonly string[]): AsyncGenerator<Memory[]> {
  for (let rest = ids; rest.length > 0; ) {
    const page = await deps.store.memories.get(rest, user)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    if (isEndOfList(page, rest.length)) return
    rest = rest.slice(rest.indexOf(last.id) + 1)
  }
}

/** The changes of a memory, oldest first. */
export async function historyOf(deps: Deps, id: string): Promise<MemoryChange[]> {
  const changes: MemoryChange[] = []
  for await (const page of await streamHistory(deps, id)) changes.push(...page)
  return changes
}

/** The changes of a memory, oldest first, page by page. */
export async function streamHistory(deps: Deps, id: string): Promise<AsyncGenerator<MemoryChange[]>> {
  const { id: known, tenant, userId } = await getMemory(deps, id)
  return historyPages(deps, known, { tenant, userId })
}

async function* historyPages(deps: Deps, id: string, user: UserKey): AsyncGenerator<MemoryChange[]> {
  for (let after = 0; ; ) {
    const page = await deps.store.memories.history(id, user, after)
    yield page
    if (isEndOfList(page, LIMITS.page)) return
    after = page.at(-1)?.version ?? after
  }
}

/** A page of a user's memories, in order of id. */
export async function memoriesOf(deps: Deps, query: ListMemories): Promise<Page<Memory>> {
  const { limit = DEFAULT_PAGE, cursor: after, ...whose } = parse(listMemories, query)
  const user = userFor(deps, whose)
  const found = await deps.store.memories.list(defined({ ...user, limit: limit + 1, after }))
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return isEndOfList(found, limit + 1) || last === undefined ? { items } : { items, nextCursor: last.id }
}
