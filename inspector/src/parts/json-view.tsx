import type { Json } from '../api/types.ts'
import { Clamp } from './clamp.tsx'

/** JSON as indented text. */
export function JsonView({ value, most }: { value: Json | object; most?: number }) {
  return <Clamp text={JSON.stringify(value, null, 2)} class="plain json" {...(most !== undefined && { most })} />
}
