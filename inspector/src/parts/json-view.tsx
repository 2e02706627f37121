import type { Json } from '../api/types.ts'
import { Clamp } from './clamp.tsx'
import { formatJson } from './json-text.ts'

/** A value as indented JSON. */
export function JsonView({ value, most }: { value: Json | object; most?: number }) {
  return <Clamp text={formatJson(value)} class="plain json" {...(most !== undefined && { most })} />
}
