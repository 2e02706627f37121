import type { Difference } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import type { StoredEdge } from '../../ports/session-store.ts'
import { pacer } from '../kernel/pace.ts'

/** Edges of a log in memory at a time: an edge has up to 2 KB, and eight sessions are checked at once. */
const MAX_EDGES = 10_000

/** Reads the stored edges after one of them, or the first ones. */
type ReadPage = (after?: StoredEdge) => Promise<StoredEdge[]>

/**
 * Compares the edges of a log with the stored ones, in bounded memory: the stored ones are read once for every
 * {@link MAX_EDGES} edges of the log.
 */
export class EdgeCheck {
  /** Edges that are missing, surplus, or differ in evidence. */
  readonly differences: Difference[] = []
  readonly #sessionId: string
  readonly #readPage: ReadPage
  readonly #most: number
  /** Edges of the events after `#compared`, by their identity. */
  readonly #required = new Map<string, StoredEdge>()
  readonly #optional = new Map<string, StoredEdge>()
  /** The last event whose edges were compared. */
  #compared = Number.NEGATIVE_INFINITY

  constructor(sessionId: string, readPage: ReadPage, most = MAX_EDGES) {
    this.#sessionId = sessionId
    this.#readPage = readPage
    this.#most = most
  }

  /** Adds edges of the next event. Optional ones may be stored or not. */
  add(edges: readonly StoredEdge[], isOptional = false): void {
    const into = isOptional ? this.#optional : this.#required
    for (const edge of edges) into.set(identityOf(edge), edge)
  }

  /** Call it after the edges of an event. Compares them if they are many. */
  async endEvent(sequence: number): Promise<void> {
    if (this.#required.size + this.#optional.size < this.#most) return
    for (const actual of await this.#compare(sequence)) this.#report({ actual })
  }

  /**
   * Compares the rest.
   *
   * @param next the sequence after the log
   * @param hasGrown whether the log grew since: then edges from `next` on are not surplus
   */
  async finish(next: number, hasGrown: () => Promise<boolean>): Promise<void> {
    const surplus = await this.#compare(Number.POSITIVE_INFINITY)
    const isNew = ({ sequence }: StoredEdge) => sequence >= next
    const ignoresNew = surplus.some(isNew) && (await hasGrown())
    for (const actual of surplus) if (!ignoresNew || !isNew(actual)) this.#report({ actual })
  }

  /** Compares the edges of the events up to a sequence. Returns the surplus ones. */
  async #compare(last: number): Promise<StoredEdge[]> {
    const others = new Map<string, StoredEdge>()
    let before = ''
    for await (const page of pagesOf(this.#readPage)) {
      for (const edge of page) {
        if (edge.sequence <= this.#compared || edge.sequence > last) continue
        const key = identityOf(edge)
        // stated by an event and derived from it, too
        if (key === before) continue
        before = key
        if (this.#required.get(key)?.evidence === edge.evidence) this.#required.delete(key)
        else if (this.#optional.get(key)?.evidence !== edge.evidence) others.set(key, edge)
      }
    }
    for (const [key, expected] of this.#required) {
      this.#report({ expected, actual: others.get(key) })
      others.delete(key)
    }
    this.#required.clear()
    this.#optional.clear()
    this.#compared = last
    return [...others.values()]
  }

  #report({ expected, actual }: { expected?: StoredEdge; actual?: StoredEdge | undefined }): void {
    const [want, have] = [expected && { ...expected }, actual && { ...actual }]
    this.differences.push(defined({ sessionId: this.#sessionId, field: 'edges', expected: want, actual: have }))
  }
}

function identityOf({ from, label, to, sequence }: StoredEdge): string {
  return JSON.stringify([from, label, to, sequence])
}

async function* pagesOf(readPage: ReadPage): AsyncGenerator<StoredEdge[]> {
  const pace = pacer()
  for (let page = await readPage(); page.length > 0; page = await readPage(page.at(-1))) {
    yield page
    await pace()
  }
}
