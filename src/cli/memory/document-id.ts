import { createHash } from 'node:crypto'

/** Namespace of imported document ids. Changing it would import every document again. */
const NAMESPACE = Buffer.from('7d1f3b52c0a64e0f9a7c2b8e5d4f6a10', 'hex')

/** Identity of a document: its id or, without one, its content. */
export interface DocumentIdentity {
  readonly tenant: string
  readonly userId: string
  readonly source: string
  readonly id: string | undefined
  readonly content: string
}

/** Memory id of a document: the same in every run and on every machine (UUIDv5, RFC 9562). */
export function documentId({ tenant, userId, source, id, content }: DocumentIdentity): string {
  const name = JSON.stringify([tenant, userId, source, ...(id === undefined ? [null, content] : [id])])
  const bytes = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
