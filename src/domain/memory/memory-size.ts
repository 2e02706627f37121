import { type Json, stringifyJson } from '../json.ts'
import type { Memory } from './memory.ts'

/** Bytes of the content and metadata of a memory, in UTF-8. */
export function memoryBytes({ content, metadata }: Pick<Memory, 'content' | 'metadata'>): number {
  const text = metadata === undefined ? '' : stringifyJson(metadata as Json)
  return Buffer.byteLength(content) + Buffer.byteLength(text)
}
