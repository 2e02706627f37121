import type { SessionEvent } from '../../../api/types.ts'
import { foldText } from '../../../parts/fold-text.ts'
import { shortText } from '../../../parts/short-json.ts'
import { callsIn } from '../tool-calls.ts'

/** Characters of one event that are searched. */
export const SEARCHED_TEXT = 200_000

/** What a search finds in an event, folded: its content, and names and arguments of its tool calls. */
export function searchedText(event: SessionEvent): string {
  return foldText(plainText(event))
}

function plainText(event: SessionEvent): string {
  const pieces = [event.content.slice(0, SEARCHED_TEXT)]
  let rest = SEARCHED_TEXT - event.content.length
  for (const call of callsIn(event)) {
    if (rest <= 0) break
    const text = `${call.name} ${shortText(call.arguments, rest)}`
    pieces.push(text)
    rest -= text.length
  }
  return pieces.join('\n')
}

/** The text around a match. */
export interface Snippet {
  readonly before: string
  readonly match: string
  readonly after: string
}

/** Characters that a snippet shows on each side. */
const AROUND = 60

/** The first match of the folded text in an event, as it is written there. */
export function snippetOf(event: SessionEvent, folded: string): Snippet | undefined {
  const text = plainText(event)
  const at = foldText(text).indexOf(folded)
  if (at < 0) return undefined
  // folding changes the length only where letters have accents
  const [from, to] = foldText(text).length === text.length ? [at, at + folded.length] : placeIn(text, at, folded.length)
  const oneLine = (piece: string) => piece.replace(/\s+/g, ' ')
  return {
    before: `${from > AROUND ? '…' : ''}${oneLine(text.slice(Math.max(0, from - AROUND), from))}`,
    match: oneLine(text.slice(from, to)),
    after: `${oneLine(text.slice(to, to + AROUND))}${to + AROUND < text.length ? '…' : ''}`,
  }
}

/** Where `length` folded characters after `at` folded ones lie in the text. */
function placeIn(text: string, at: number, length: number): readonly [from: number, to: number] {
  let folded = 0
  let place = 0
  let from = 0
  for (const character of text) {
    if (folded <= at) from = place
    if (folded >= at + length) return [from, place]
    folded += foldText(character).length
    place += character.length
  }
  return [from, place]
}
