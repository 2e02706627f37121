import type { RememberInput } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { documentId } from './document-id.ts'
import { CONTENT_KEYS } from './read-documents.ts'

/** Where the documents of an import go. */
export interface Destination {
  readonly tenant: string
  readonly userId: string
  /** Of documents that name none. */
  readonly category?: string
  readonly scope?: string
  /** Name of the import. */
  readonly source: string
}

/** A document as a memory, not checked yet. */
export interface Candidate {
  readonly memory: RememberInput
  /** Id as the document has it, if it has one. */
  readonly id?: string
  /** Names that fields of the memory have in the document, where they are others. */
  readonly names: Readonly<Record<string, string>>
}

/** Names of what a vector store keeps beside a text; the first is the one it gets. */
const COORDINATES = ['coordinates', 'coordinate', 'vector', 'embedding'] as const
const RETRIEVER = ['retriever', 'retriever_hints', 'hints'] as const

/** Makes a memory of a document, or throws what is wrong with it. */
export function documentToMemory(value: Json, destination: Destination): Candidate {
  if (!isObject(value)) throw new ValidationError('document', 'must be an object')
  return isExportedMemory(value) ? fromExportedMemory(value, destination) : fromDocument(value, destination)
}

/** Whether it is a memory that `memory export` wrote. */
function isExportedMemory(value: JsonObject): boolean {
  return Array.isArray(value['lineage']) && typeof value['sourceType'] === 'string' && typeof value['id'] === 'string'
}

/** A memory of another store, under the id it had there. What its lineage names stays behind. */
function fromExportedMemory(value: JsonObject, { tenant, userId, source, scope }: Destination): Candidate {
  for (const [field, own, option] of [
    ['tenant', tenant, '--tenant'],
    ['userId', userId, '--user'],
  ] as const) {
    if (value[field] !== own) throw new ValidationError(field, `is not '${own}': ${option} must name the same`)
  }
  if (value['supersededBy'] !== undefined) throw new ValidationError('supersededBy', 'another memory took its place')
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
  return { memory: withoutUndefined(memory) as unknown as RememberInput, id: String(id), names: {} }
}

function fromDocument(value: JsonObject, destination: Destination): Candidate {
  const { tenant, userId, source, scope } = destination
  // what is null is not there: programs in Python write it so
  const given = { ...value }
  const take = (key: string) => {
    const taken = given[key]
    delete given[key]
    return taken === null ? undefined : taken
  }
  const first = (keys: readonly string[]) => keys.find((key) => given[key] !== undefined && given[key] !== null)

  const contentKey = first(CONTENT_KEYS)
  if (contentKey === undefined)
    throw new ValidationError('content', `is missing: ${CONTENT_KEYS.join(', ')} may hold it`)
  const content = take(contentKey) as string
  const own = take('metadata') ?? {}
  if (!isObject(own)) throw new ValidationError('metadata', 'must be an object')
  const owner = take('user_id')
  if (owner !== undefined && String(owner) !== userId) {
    throw new ValidationError('user_id', `is not '${userId}': import documents of others with their own --user`)
  }
  const category = take('category') ?? destination.category
  const expiresAt = take('expires_at')
  const idGiven = take('id')
  const id = idToText(idGiven ?? own['id'])
  const coordinates = takeCoordinates(first(COORDINATES), take)
  const retrieverKey = first(RETRIEVER)
  const retriever = retrieverKey === undefined ? undefined : take(retrieverKey)

  const metadata = mergeMetadata(withoutUndefined({ id: idGiven, coordinates, retriever, ...given }), own)
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
    memory: withoutUndefined(memory) as unknown as RememberInput,
    ...(id !== undefined && { id }),
    names: { content: contentKey, expiresAt: 'expires_at', id: 'id' },
  }
}

/** An id as text: numbers are ids too. */
function idToText(id: Json | undefined): string | undefined {
  if (id === undefined || id === null) return undefined
  if (typeof id === 'string' ? id !== '' : typeof id === 'number') return String(id)
  throw new ValidationError('id', 'must be a text or a number')
}

function takeCoordinates(key: string | undefined, take: (key: string) => Json | undefined): Json | undefined {
  if (key === undefined) return undefined
  const list = take(key)
  if (!Array.isArray(list) || !list.every((number) => typeof number === 'number')) {
    throw new ValidationError(key, 'must be a list of numbers')
  }
  return list as Json
}

/** The document's own keys with its metadata. What they would hide of it stays in `metadata`. */
function mergeMetadata(keys: JsonObject, metadata: JsonObject): JsonObject {
  const isHidden = ([key, value]: [string, Json]) =>
    Object.hasOwn(keys, key) && JSON.stringify(keys[key]) !== JSON.stringify(value)
  const hidden = Object.entries(metadata).filter(isHidden)
  return { ...keys, ...metadata, ...keys, ...(hidden.length > 0 && { metadata: Object.fromEntries(hidden) }) }
}

function withoutUndefined(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter((entry): entry is [string, Json] => entry[1] !== undefined))
}
