const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What every terminal shows in one column for each character. */
const PLAIN = /^[\x20-\x7e]*$/
/** Marks, joiners and the like, which take no room of their own. */
const NOTHING = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}\u200b-\u200f\u2028\u2029\u1160-\u11ff]+$/u
/** East Asian Wide and Fullwidth of Unicode 16, in whole blocks, and what is a picture by itself. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d08}\u{1aff0}-\u{1b2fb}\u{20000}-\u{3fffd}\p{Emoji_Presentation}\u{1f1e6}-\u{1f1ff}]/u
/** A picture because a sign says so: U+FE0F. */
const AS_PICTURE = /^\p{Emoji}\ufe0f/u

/** Longest cluster that can be one character: beyond it someone piles up marks. */
const LONGEST = 64

/** Whether every terminal shows one column for each character. */
export const isPlain = (text: string) => PLAIN.test(text)

/** The characters as people count them, each with all of its marks; such as are heaps of marks are replaced. */
export function* charactersOf(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment.length > LONGEST ? '\u{fffd}' : segment
}

/** Columns that a terminal needs for one character of {@link charactersOf}. */
export function characterWidth(character: string): number {
  if (PLAIN.test(character)) return character.length
  if (NOTHING.test(character)) return 0
  return WIDE.test(character) || AS_PICTURE.test(character) ? 2 : 1
}

/** Columns that a terminal needs for the text, which has no colours in it. */
export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const character of charactersOf(text)) width += characterWidth(character)
  return width
}
