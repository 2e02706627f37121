import type { Memories, RememberInput } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { encodeJson, isObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { parse } from '../../features/kernel/parse.ts'
import { rememberInput } from '../../features/memory/schema.ts'
import { type Candidate, type Destination, documentToMemory } from './document-to-memory.ts'
import type { SourceDocument } from './read-documents.ts'
import { isRefusal, type Outcome, previewBatch, type RefusedError, storeBatch } from './store-batch.ts'

export interface ImportOptions extends Destination {
  /** Documents per write. */
  readonly batch: number
  /** Check everything, write nothing. */
  readonly dryRun: boolean
  /** Called after each write. */
  onProgress?(counts: ImportCounts): void
}

/** Outcomes, or a preview in a dry run. `read` is the sum of the others. */
export interface ImportCounts {
  read: number
  created: number
  unchanged: number
  refused: number
}

/** Why a document was not imported. */
export interface Refusal {
  place: string
  id?: string
  field: string
  reason: string
}

export interface Imported extends ImportCounts {
  /** The first hundred. */
  refusals: Refusal[]
}

const MAX_REFUSALS = 100
/** Size at which a write starts before its batch is full. The last document may exceed it. */
const MAX_WRITE_CHARACTERS = LIMITS.remember / 2

/**
 * Imports documents as memories in batches. Ids derive from the documents, so a stopped import continues when it is run
 * again. An invalid document does not affect the others.
 */
export async function importDocuments(
  memories: Pick<Memories, 'remember' | 'get'>,
  documents: AsyncIterable<SourceDocument>,
  options: ImportOptions,
): Promise<Imported> {
  const report = new Report()
  // a few hundred bytes per document: the only memory that grows with their number
  const places = new Map<string, string>()
  let batch: PendingDocument[] = []
  let size = 0
  const write = async () => {
    const inputs = batch.map(({ memory }) => memory)
    const outcomes = await (options.dryRun ? previewBatch(memories, inputs) : storeBatch(memories, inputs))
    for (const [i, outcome] of outcomes.entries()) report.add(batch[i] as PendingDocument, outcome)
    batch = []
    size = 0
    options.onProgress?.(report.counts())
  }

  for await (const found of documents) {
    const { place, value } = found
    let candidate: Candidate | undefined
    try {
      if (found.problem !== undefined) throw new ValidationError('document', found.problem)
      candidate = documentToMemory(value, options)
      const { memory, characters } = validate(candidate.memory)
      requireUniqueId(places, memory.id ?? '', place)
      batch.push({ ...candidate, memory, place })
      size += characters
    } catch (error) {
      if (!isRefusal(error)) throw error
      const id = isObject(value) ? value['id'] : undefined
      report.add(candidate === undefined ? { place, id, names: {} } : { ...candidate, place }, error)
    }
    if (batch.length >= options.batch || size >= MAX_WRITE_CHARACTERS) await write()
  }
  if (batch.length > 0) await write()
  return report.imported()
}

/** A validated document that waits for the next write. */
interface PendingDocument extends Candidate {
  readonly place: string
}

/** Validates like the store, so that a dry run finds every refusal. */
function validate(input: RememberInput): { memory: RememberInput; characters: number } {
  const memory = parse(rememberInput, input) as RememberInput
  const { content, metadata } = memory
  const text = metadata === undefined ? '' : encodeJson(metadata, 'metadata', LIMITS.metadata)
  return { memory, characters: content.length + text.length }
}

/** Only the first of several documents with one id is imported. */
function requireUniqueId(places: Map<string, string>, id: string, place: string): void {
  const before = places.get(id)
  if (before !== undefined) throw new ValidationError('id', `is already used by ${before}`)
  places.set(id, place)
}

class Report {
  readonly #counts: ImportCounts = { read: 0, created: 0, unchanged: 0, refused: 0 }
  readonly #refusals: Refusal[] = []

  add({ place, id, names }: { place: string; id?: unknown; names: Candidate['names'] }, outcome: Outcome): void {
    this.#counts.read += 1
    if (outcome === 'created' || outcome === 'unchanged') {
      this.#counts[outcome] += 1
      return
    }
    this.#counts.refused += 1
    if (this.#refusals.length === MAX_REFUSALS) return
    const named = typeof id === 'string' || typeof id === 'number'
    this.#refusals.push({ place, ...(named && { id: String(id) }), ...toReason(outcome, names) })
  }

  counts(): ImportCounts {
    return { ...this.#counts }
  }

  imported(): Imported {
    return { ...this.#counts, refusals: this.#refusals }
  }
}

/** Field and reason in the terms of the document. */
function toReason({ field, message }: RefusedError, names: Candidate['names']): Pick<Refusal, 'field' | 'reason'> {
  const reason = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
  return { field: names[field] ?? field, reason }
}
