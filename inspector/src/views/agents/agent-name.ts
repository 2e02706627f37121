import { visible } from '../../parts/visible.ts'

/** Length up to which a name is not cut, and characters kept at the end of a longer one. */
const WHOLE = 12
const TAIL = 10

/** A name on one line in two parts. Only the first may be cut, so names that start alike still differ. */
export function nameParts(name: string, most: number): readonly [head: string, tail: string] {
  const letters = Array.from(visible(name.replace(/\s+/g, ' ')).trim())
  if (letters.length <= WHOLE) return ['', letters.join('')]
  const head = letters.slice(0, -TAIL)
  const rest = most - TAIL
  return [head.length > rest ? `${head.slice(0, rest).join('')}…` : head.join(''), letters.slice(-TAIL).join('')]
}

/** A name on one line, cut in the middle if it is longer than `most`. */
export const nameText = (name: string, most: number): string => nameParts(name, most).join('')
