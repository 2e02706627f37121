import type { RememberInput } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { documentId } from './document-id.ts'
import { CONTENT_KEYS } from './read-documents.ts'

/** Owner and defaults of the imported memories. */
export interface Destination {
  readonly tenant: string
  readonly userId: string
  /** For documents without one. */
  readonly category?: string
  readonly scope?: string
  /** Name of the import. */
  readonly source: string
}

/** A document as a memory, not validated yet. */
export interface Candidate {
  readonly memory: RememberInput
  /** Id in the document, if it has one. */
  readonly id?: string
  /** Document keys of memory fields that have another name there. */
  readonly names: Readonly<Record<string, string>>
}

/** Accepted keys; the metadata uses the first. */
const COORDINATES = ['coordinates', 'coordinate', 'vector', 'embedding'] as const
const RETRIEVER = ['retriever', 'retriever_hints', 'hints'] as const

/** Converts a document to a memory; throws `ValidationError` if it is invalid. */
export function documentToMemory(value: Json, destination: Destination): Candidate {
  if (!isObject(value)) throw new ValidationError('document', 'must be an object')
  return isExportedMemory(value) ? fromExportedMemory(value, destination) : fromDocument(value, destination)
}

/** Whether `memory export` wrote it. */
function isExportedMemory(value: JsonObject): boolean {
  return Array.isArray(value['lineage']) && typeof value['sourceType'] === 'string' && typeof value['id'] === 'string'
}

/** Keeps the id of an exported memory and drops its lineage. */
function fromExportedMemory(value: JsonObject, { tenant, userId, source, scope }: Destination): Candidate {
  for (const [field, own, option] of [
    ['tenant', tenant, '--tenant'],
    ['userId', userId, '--user'],
  ] as const) {
    if (value[field] !== own) throw new ValidationError(field, `is not '${own}': pass its value as ${option}`)
  }
  if (value['supersededBy'] !== undefined)
    throw new ValidationError('supersededBy', 'names a newer memory: superseded memories are not imported')
  const { id, content, category, sourceType, confidence, expiresAt, metadata } = value
  const memory = {
    tenant,
    userId,
    id,
    content,
    category,
    sourceType,
    confidence,
    scope: value['scope'] ?? scope,
    expiresAt,
    metadata,
    source: { source: `import:${source}` },
  }
  return { memory: defined(memory) as unknown as RememberInput, id: String(id), names: {} }
}

function fromDocument(value: JsonObject, destination: Destination): Candidate {
  const { tenant, userId, source, scope } = destination
  // null counts as absent: Python programs write it
  const given = { ...value }
  const take = (key: string) => {
    const taken = given[key]
    delete given[key]
    return taken === null ? undefined : taken
  }
  const first = (keys: readonly string[]) => keys.find((key) => given[key] !== undefined && given[key] !== null)

  const contentKey = first(CONTENT_KEYS)
  if (contentKey === undefined) throw new ValidationError('content', `is missing: use ${CONTENT_KEYS.join(', ')}`)
  const content = take(contentKey) as string
  const own = take('metadata') ?? {}
  if (!isObject(own)) throw new ValidationError('metadata', 'must be an object')
  const owner = take('user_id')
  if (owner !== undefined && String(owner) !== userId) {
    throw new ValidationError('user_id', `is not '${userId}': import it with its own --user`)
  }
  const category = take('category') ?? destination.category
  const expiresAt = take('expires_at')
  const idGiven = take('id')
  const id = idToText(idGiven ?? own['id'])
  const coordinates = takeCoordinates(first(COORDINATES), take)
  const retrieverKey = first(RETRIEVER)
  const retriever = retrieverKey === undefined ? undefined : take(retrieverKey)

  const metadata = mergeMetadata(defined({ id: idGiven, coordinates, retriever, ...given }), own)
  const memory = {
    tenant,
    userId,
    id: documentId({ tenant, userId, source, id, content: String(content) }),
    content,
    category,
    sourceType: 'bootstrap',
    scope,
    expiresAt,
    source: { source: `import:${source}` },
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  }
  return {
    memory: defined(memory) as unknown as RememberInput,
    ...defined({ id }),
    names: { content: contentKey, expiresAt: 'expires_at', id: 'id' },
  }
}

/** Accepts texts and numbers as ids. */
function idToText(id: Json | undefined): string | undefined {
  if (id === undefined || id === null) return undefined
  if (typeof id === 'string' ? id !== '' : typeof id === 'number') return String(id)
  throw new ValidationError('id', 'must be a string or a number')
}

function takeCoordinates(key: string | undefined, take: (key: string) => Json | undefined): Json | undefined {
  if (key === undefined) return undefined
  const list = take(key)
  if (!Array.isArray(list) || !list.every((number) => typeof number === 'number')) {
    throw new ValidationError(key, 'must be an array of numbers')
  }
  return list as Json
}

/** Merges the document's keys with its metadata. Metadata keys with other values stay in `metadata`. */
function mergeMetadata(keys: JsonObject, metadata: JsonObject): JsonObject {
  const isHidden = ([key, value]: [string, Json]) =>
    Object.hasOwn(keys, key) && JSON.stringify(keys[key]) !== JSON.stringify(value)
  const hidden = Object.entries(metadata).filter(isHidden)
  return { ...keys, ...metadata, ...keys, ...(hidden.length > 0 && { metadata: Object.fromEntries(hidden) }) }
}
