import type { ExportedEvent, ExportPlace, SessionBlock } from '../../api.ts'
import { StorageError } from '../../domain/errors.ts'
import type { EventType, Role } from '../../domain/event.ts'
import { sizeOf } from '../../domain/event-size.ts'
import type { Json } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import type { StoredEvent } from '../../ports/session-store.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { parse } from '../kernel/parse.ts'
import { findSession } from '../sessions/operation.ts'
import { BLOCK } from './checksum.ts'
import type { ExportPage, ExportQuery } from './pages.ts'
import { exportQuery } from './schema.ts'

/** Session ids per read. */
const IDS = 100

/**
 * One page of an export: sessions and parts of sessions in ascending order of id, up to 500 events or about 4 MiB of
 * text, or a single larger event. Nothing is kept between pages.
 */
export async function exportPage(deps: Deps, query: ExportQuery = {}): Promise<ExportPage> {
  const { sessionId, after, totals } = parse(exportQuery, query)
  const only = sessionId === undefined ? undefined : await findSession(deps, sessionId)
  const page = new Page(deps)
  const next = await filled(page, placesOf(deps, only, after))
  return {
    blocks: page.blocks,
    ...(next !== undefined && { next }),
    ...(totals === true && { of: await totalsOf(deps, only) }),
  }
}

/** Reads sessions until the page is full; returns where the next page starts. */
async function filled(page: Page, places: AsyncIterable<ExportPlace>): Promise<ExportPlace | undefined> {
  for await (const place of places) {
    await page.take(place)
    await nextTurn()
    if (page.isFull) {
      const { sessionId, events, done } = page.blocks.at(-1) as SessionBlock
      return { sessionId, sequence: events.at(-1)?.sequence ?? 0, done }
    }
  }
  return undefined
}

async function totalsOf(deps: Deps, only: string | undefined): Promise<{ sessions: number; events: number }> {
  if (only === undefined) return await deps.store.totals(deps.within)
  const view = await deps.store.load(keyOf(deps, only))
  return { sessions: 1, events: view?.record.head ?? 0 }
}

/** The sessions to read, each with the event to start after. */
async function* placesOf(
  { store, within }: Deps,
  only: string | undefined,
  after: ExportPlace | undefined,
): AsyncGenerator<ExportPlace> {
  const begin = (sessionId: string) => ({ sessionId, sequence: 0, done: false })
  if (only !== undefined) {
    if (after === undefined || after.sessionId < only) yield begin(only)
    else if (after.sessionId === only && !after.done) yield after
    return
  }
  if (after !== undefined && !after.done) yield after
  const query = defined({ limit: IDS, within })
  for (let last = after?.sessionId; ; ) {
    const ids = await store.sessionIds(defined({ ...query, after: last }))
    for (const id of ids) yield begin(id)
    last = ids.at(-1)
    if (last === undefined) return
  }
}

class Page {
  readonly blocks: SessionBlock[] = []
  readonly #deps: Deps
  #events = 0
  #size = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get isFull(): boolean {
    return this.#events >= BLOCK.events || this.#size >= BLOCK.bytes
  }

  /** Adds a session from after `after` up to its head, as far as there is room. */
  async take({ sessionId, sequence }: ExportPlace): Promise<void> {
    const view = await this.#deps.store.load(keyOf(this.#deps, sessionId))
    // purged since the list was read
    if (view === undefined) return
    const { head } = view.record
    const block: SessionBlock = { sessionId, events: [], done: false }
    for (let after = sequence; after < head && !this.isFull; ) {
      const read = await this.#read(sessionId, after, head)
      if (read.length === 0) break
      block.events.push(...read)
      after = read.at(-1)?.sequence ?? head
    }
    block.done = block.events.at(-1)?.sequence === head
    if (block.done || (this.isFull && block.events.length > 0)) this.blocks.push(block)
    // purged during the read, or its log is damaged
    else if (sequence < head) await this.#requireGone(sessionId, block.events.at(-1)?.sequence ?? sequence)
  }

  async #requireGone(sessionId: string, last: number): Promise<void> {
    const { store } = this.#deps
    if ((await store.load(keyOf(this.#deps, sessionId))) === undefined) return
    throw new StorageError(
      store.name,
      `session ${sessionId} has no event ${last + 1}: run throughline verify for details`,
    )
  }

  async #read(sessionId: string, after: number, head: number): Promise<ExportedEvent[]> {
    const key = keyOf(this.#deps, sessionId)
    const query = { after, before: head + 1, order: 'asc', limit: BLOCK.events - this.#events } as const
    const stored = await this.#deps.store.read(key, query).catch(noneIfPurged)
    const end = stored.at(-1)?.sequence ?? after
    const checksums = await this.#deps.store.checksums(key, { after, before: end + 1 }).catch(noneIfPurged)
    const taken: ExportedEvent[] = []
    for (const [i, event] of stored.entries()) {
      if (this.isFull) break
      taken.push(exported(event, checksums[i]))
      this.#size += sizeOf(event)
      this.#events++
    }
    return taken
  }
}

function noneIfPurged(error: Error & { code?: string }): [] {
  if (error.code === 'SESSION_NOT_FOUND') return []
  throw error
}

function exported(stored: StoredEvent, checksum: string | undefined): ExportedEvent {
  const { sequence, id, content, parts, agentId, occurredAt, createdAt } = stored
  return {
    sequence,
    id,
    type: stored.type as EventType,
    role: stored.role as Role,
    content,
    ...(parts !== undefined && { parts: JSON.parse(parts) as Json }),
    ...(agentId !== undefined && { agentId }),
    ...(occurredAt !== undefined && { occurredAt }),
    createdAt,
    ...(checksum !== undefined && { checksum }),
  }
}
