import type { Memories, RememberInput } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { encodeJson, isObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { parse } from '../../features/kernel/parse.ts'
import { rememberInput } from '../../features/memory/schema.ts'
import { type Candidate, type Destination, documentToMemory } from './document-to-memory.ts'
import type { SourceDocument } from './read-documents.ts'
import { isRefusal, type Outcome, previewBatch, type RefusedError, storeBatch } from './store-batch.ts'

/** How to import. */
export interface ImportOptions extends Destination {
  /** Documents of one write. */
  readonly batch: number
  /** Checks everything, writes nothing. */
  readonly dryRun: boolean
  /** Called after each write. */
  onProgress?(counts: ImportCounts): void
}

/** What became of the documents; `read` is the sum of the others. Of a dry run: what would become of them. */
export interface ImportCounts {
  read: number
  created: number
  unchanged: number
  refused: number
}

/** A document that is not in, and why. */
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
/** Characters of one write beyond which no more documents join it, however small their number. */
const MAX_WRITE_CHARACTERS = 8 * 1024 * 1024

/**
 * Makes memories of documents, a batch at a time. Their ids come from what they are, so that a run that was cut short is
 * taken up by running it again. One that is wrong does not keep the others out.
 */
export async function importDocuments(
  memories: Pick<Memories, 'remember' | 'get'>,
  documents: AsyncIterable<SourceDocument>,
  options: ImportOptions,
): Promise<Imported> {
  const report = new Report()
  // some hundred bytes for each document: all that grows with their number
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

/** A document on its way, and where it stands. */
interface PendingDocument extends Candidate {
  readonly place: string
}

/** What the store would check. Nothing comes to be refused in the midst of a write that a dry run let pass. */
function validate(input: RememberInput): { memory: RememberInput; characters: number } {
  const memory = parse(rememberInput, input) as RememberInput
  const { content, metadata } = memory
  const text = metadata === undefined ? '' : encodeJson(metadata, 'metadata', LIMITS.metadata)
  return { memory, characters: content.length + text.length }
}

/** Of several documents with one id the first is taken. */
function requireUniqueId(places: Map<string, string>, id: string, place: string): void {
  const before = places.get(id)
  if (before !== undefined) throw new ValidationError('id', `is that of ${before} too, which is taken`)
  places.set(id, place)
}

/** The counts as they grow. */
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

/** What is wrong, in the names of the document. */
function toReason({ field, message }: RefusedError, names: Candidate['names']): Pick<Refusal, 'field' | 'reason'> {
  const reason = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
  return { field: names[field] ?? field, reason }
}
