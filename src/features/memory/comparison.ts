import type { ContentAnalysis } from '../../domain/memory/analyze-contents.ts'
import type { Memory } from '../../domain/memory/memory.ts'
import { groupBySize } from '../../domain/pieces.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { Deps } from '../kernel/deps.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { findCandidates } from './find-candidates.ts'
import { memoryPages } from './read.ts'

/** Characters of contents analyzed at a time. */
const MAX_ANALYZED = 128 * 1024
/** Characters of contents whose candidates are looked up at a time. */
const MAX_ASKED = 16 * 1024
/** Characters of memories compared at a time. */
const MAX_COMPARED = 4 * 1024 * 1024

/** A memory to store, by id or by content. */
export interface Said {
  readonly id?: string
  readonly content: string
}

/** A stored memory without what no comparison needs. */
type Stored = Pick<Memory, 'id' | 'content'>

/** Thrown by a decider that found memories it has no comparison with. */
export class NotCompared extends Error {
  readonly memories: readonly Memory[]

  constructor(memories: readonly Memory[]) {
    super('memories were not compared')
    this.memories = memories
  }
}

/** What says the same as a statement. */
interface Matches {
  /** Ids of memories and indexes of earlier statements, with the same gist and with a few other words. */
  readonly equal: Set<string | number>
  readonly near: Set<string | number>
}

/**
 * Compares the statements of a call with memories and with each other. A decider runs under the lock of the store, so
 * everything that depends on the length of a text is computed before: contents never change.
 */
export class Comparison {
  readonly #deps: Deps
  readonly #statements: readonly Said[]
  readonly #analyses: readonly ContentAnalysis[]
  readonly #matches: readonly Matches[]
  /** Statements without an id, by index. Only these merge. */
  readonly #asked: readonly number[]
  readonly #compared = new Set<string>()

  private constructor(deps: Deps, statements: readonly Said[], analyses: readonly ContentAnalysis[]) {
    this.#deps = deps
    this.#statements = statements
    this.#analyses = analyses
    this.#matches = statements.map(() => ({ equal: new Set(), near: new Set() }))
    this.#asked = statements.flatMap(({ id }, i) => (id === undefined ? [i] : []))
  }

  /** Compares statements with memories that may say the same, and with the memories of these ids. */
  static async of(deps: Deps, user: UserKey, statements: readonly Said[], ids: readonly string[] = []) {
    const comparison = new Comparison(deps, statements, await analyzeContents(deps, statements))
    await comparison.#compareStatements()
    await comparison.#compareStored(user, ids)
    return comparison
  }

  analysis(i: number): ContentAnalysis {
    return this.#analyses[i] as ContentAnalysis
  }

  /** Distinct terms of all statements. */
  get terms(): number {
    return this.#analyses.reduce((sum, { description }) => sum + description.places.size, 0)
  }

  /** Ids of the memories that say the same as one of the statements. */
  get similar(): string[] {
    const found = this.#matches.flatMap(({ equal, near }) => [...equal, ...near])
    return [...new Set(found.filter((each) => typeof each === 'string'))]
  }

  /** What says the same as a statement: ids of memories and indexes of earlier statements, best first. */
  matches(i: number): (string | number)[] {
    const { equal, near } = this.#matches[i] as Matches
    return [...[...equal].sort(inOrder), ...[...near].sort(inOrder)]
  }

  /** Called by deciders. */
  requireCompared(found: readonly Memory[]): void {
    const unknown = this.#asked.length === 0 ? [] : found.filter(({ id }) => !this.#compared.has(id))
    if (unknown.length > 0) throw new NotCompared(unknown)
  }

  /** Makes a change, and compares what its decider misses: memories that another call has just written. */
  async within<Result>(change: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await change()
      } catch (error) {
        if (!(error instanceof NotCompared)) throw error
        await this.#compare(error.memories)
      }
    }
  }

  async #compareStatements(): Promise<void> {
    if (this.#asked.length === 0 || this.#statements.length === 1) return
    const contents = this.#statements.map(({ content }) => content)
    const found = await this.#deps.compute.findSimilar(
      this.#asked.map((i) => contents[i] as string),
      contents,
    )
    for (const [n, { equal, near }] of found.entries()) {
      const i = this.#asked[n] as number
      this.#add(
        i,
        equal.filter((other) => other < i),
        near.filter((other) => other < i),
      )
    }
  }

  async #compareStored(user: UserKey, ids: readonly string[]): Promise<void> {
    if (this.#asked.length === 0) return
    const { index } = this.#deps.store
    const wanted = new Set(ids)
    const lengthOf = (i: number) => this.#statements[i]?.content.length ?? 0
    for (const some of groupBySize(this.#asked, MAX_ASKED, lengthOf)) {
      const analyses = some.map((i) => this.analysis(i))
      for (const id of await findCandidates(index, user, analyses)) wanted.add(id)
      await nextTurn()
    }
    let read: Stored[] = []
    let length = 0
    for await (const page of memoryPages(this.#deps, user, [...wanted])) {
      for (const { id, content } of page) {
        read.push({ id, content })
        length += content.length
      }
      if (length < MAX_COMPARED) continue
      await this.#compare(read)
      read = []
      length = 0
    }
    await this.#compare(read)
  }

  async #compare(memories: readonly Stored[]): Promise<void> {
    if (memories.length === 0) return
    const asked = this.#asked.map((i) => this.#statements[i]?.content ?? '')
    const held = memories.map(({ content }) => content)
    const idOf = (other: number) => memories[other]?.id ?? ''
    for (const [n, { equal, near }] of (await this.#deps.compute.findSimilar(asked, held)).entries()) {
      this.#add(this.#asked[n] as number, equal.map(idOf), near.map(idOf))
    }
    for (const { id } of memories) this.#compared.add(id)
  }

  #add(i: number, equal: readonly (string | number)[], near: readonly (string | number)[]): void {
    for (const each of equal) this.#matches[i]?.equal.add(each)
    for (const each of near) this.#matches[i]?.near.add(each)
  }
}

/** Analyzes the contents of memories. */
export async function analyzeContents(deps: Deps, said: readonly Said[]): Promise<ContentAnalysis[]> {
  const analyses: ContentAnalysis[] = []
  for (const group of groupBySize(said, MAX_ANALYZED, ({ content }) => content.length)) {
    analyses.push(...(await deps.compute.analyzeContents(group.map(({ content }) => content))))
  }
  return analyses
}

/** Memories by id, then statements. So of two equal memories every store picks the same. */
function inOrder(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : 1
  return typeof a === 'string' ? -1 : 1
}
