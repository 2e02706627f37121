import type { Json } from '../api/types.ts'
import { Clamp } from './clamp.tsx'
import { jsonText } from './json-text.ts'

/** JSON as indented text. */
export function JsonView({ value, most }: { value: Json | object; most?: number }) {
  return <Clamp text={jsonText(value)} class="plain json" {...(most !== undefined && { most })} />
}
