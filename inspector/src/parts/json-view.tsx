import type { Json } from '../api/types.ts'
import { Clamp } from './clamp.tsx'
import { formatJson } from './json-text.ts'

/** JSON as indented text. */
export function JsonView({ value, most }: { value: Json | object; most?: number }) {
  return <Clamp text={formatJson(value)} class="plain json" {...(most !== undefined && { most })} />
}
