import { hash } from 'node:crypto'
import type { Remembered, RememberInput } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import type { ContentAnalysis } from '../../domain/memory/analyze-contents.ts'
import { addEvidence, createMemory, isMergeable } from '../../domain/memory/evidence.ts'
import type { Memory, MemoryCategory } from '../../domain/memory/memory.ts'
import type { SourceType } from '../../domain/memory/source-type.ts'
import { ANALYSIS_VERSION } from '../../domain/recall/postings.ts'
import type { MemoryPut } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { Deps } from '../kernel/deps.ts'
import type { Comparison } from './comparison.ts'

/** A checked memory to store. */
export type Statement = Omit<RememberInput, 'userId' | 'tenant' | 'expiresInMs' | 'category' | 'sourceType'> & {
  category: MemoryCategory
  sourceType: SourceType
}

/** The candidate memories, with the changes to write. */
export class Writing {
  readonly comparison: Comparison
  /** Whether the words of new memories are written with them. */
  readonly indexes: boolean
  readonly #memories = new Map<string, Memory>()
  /** Ids of the memories that statements became, by index of the statement. */
  readonly #created = new Map<number, string>()
  readonly #puts = new Map<string, MemoryPut>()

  constructor(found: readonly Memory[], comparison: Comparison, indexes = true) {
    comparison.requireCompared(found)
    this.comparison = comparison
    this.indexes = indexes
    for (const memory of found) this.#memories.set(memory.id, memory)
  }

  get(id: string): Memory | undefined {
    return this.#memories.get(id)
  }

  /** The memory that equals a statement, but is not `other`. */
  same(statement: Statement, i: number, at: string, other?: string): Memory | undefined {
    for (const match of this.comparison.matches(i)) {
      const id = typeof match === 'string' ? match : this.#created.get(match)
      const memory = this.#memories.get(id ?? '')
      if (memory !== undefined && id !== other && isMergeable(memory, statement, at)) return memory
    }
    return undefined
  }

  put(put: MemoryPut): void {
    const { id } = put.memory
    const before = this.#puts.get(id)
    this.#memories.set(id, put.memory)
    this.#puts.set(id, { ...before, ...put, changes: [...(before?.changes ?? []), ...(put.changes ?? [])] })
  }

  /** The memory that a statement became. */
  create(i: number, put: MemoryPut): void {
    this.#created.set(i, put.memory.id)
    this.put(put)
  }

  puts(): MemoryPut[] {
    return [...this.#puts.values()]
  }
}

/** Turns a statement, the one with index `i`, into a new memory, or finds the existing one that is not `other`. */
export function stated(
  deps: Deps,
  writing: Writing,
  user: UserKey,
  statement: Statement,
  i: number,
  at: string,
  other?: string,
): Remembered {
  const { id, source, confidence, ...rest } = statement
  const known = id === undefined ? undefined : writing.get(id)
  if (known !== undefined) {
    if (known.content === statement.content) return { ...known, outcome: 'unchanged' }
    throw new ValidationError('id', 'belongs to a memory with different content')
  }
  const same = id === undefined ? writing.same(statement, i, at, other) : undefined
  if (same !== undefined) {
    const { sourceType } = statement
    const { memory: heard, change } = addEvidence(same, 'corroborates', { at, source, sourceType, kind: 'merged' })
    const memory = lasting(heard, statement.expiresAt)
    if (change !== undefined || memory !== heard) writing.put({ memory, changes: change === undefined ? [] : [change] })
    return { ...memory, outcome: 'merged' }
  }
  const { tenant, userId } = user
  const made = { ...rest, id: id ?? deps.newId(), tenant, userId, createdAt: at }
  const { memory, change } = createMemory(
    { ...made, ...(confidence !== undefined && { confidence }) } as Memory,
    source,
  )
  const analysis = writing.comparison.analysis(i)
  const words = { description: analysis.description, version: ANALYSIS_VERSION }
  const fingerprint = fingerprintOf(analysis, memory.scope)
  writing.create(i, { memory, changes: [change], fingerprint, ...(writing.indexes && { words }) })
  return { ...memory, outcome: 'created' }
}

/** The memory with the later of two expiry times; none if either has none. */
function lasting(memory: Memory, expiresAt: string | undefined): Memory {
  if (memory.expiresAt === undefined || (expiresAt !== undefined && expiresAt <= memory.expiresAt)) return memory
  const { expiresAt: _, ...rest } = memory
  return { ...rest, ...(expiresAt !== undefined && { expiresAt }) }
}

/** Equal for statements of the same meaning in the same scope. */
export function fingerprintOf({ gist }: Pick<ContentAnalysis, 'gist'>, scope: string | undefined): string {
  return hash('sha256', JSON.stringify([scope ?? null, gist]), 'base64url')
}
