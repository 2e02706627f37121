import { visible } from '../../parts/visible.ts'

/** Characters of a name that are not cut, and those at the end of a longer one that are kept. */
const WHOLE = 12
const TAIL = 10

/** A name on one line, in two parts: the first may be cut off at its end, and names that begin alike still differ. */
export function nameParts(name: string, most: number): readonly [head: string, tail: string] {
  const letters = Array.from(visible(name.replace(/\s+/g, ' ')).trim())
  if (letters.length <= WHOLE) return ['', letters.join('')]
  const head = letters.slice(0, -TAIL)
  const rest = most - TAIL
  return [head.length > rest ? `${head.slice(0, rest).join('')}…` : head.join(''), letters.slice(-TAIL).join('')]
}

/** A name on one line, cut in the middle where it is longer than `most`. */
export const nameText = (name: string, most: number): string => nameParts(name, most).join('')
