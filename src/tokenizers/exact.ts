import { longRuns, slicesOf } from '../domain/text-slices.ts'
import type { Tokenizer } from '../ports/tokenizer.ts'

/** Characters of a slice: at most about 15 ms, in the script that takes the encoder longest. */
const SLICE = 4092

/**
 * Counts like OpenAI's o200k encoding, offline. Special token names in a text count as plain text. Long runs of
 * letters, symbols or white space are counted in pieces, which adds a token or two per piece.
 */
export async function exactTokenizer(): Promise<Required<Tokenizer>> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const asText = { disallowedSpecial: new Set<string>() }
  const count = (text: string) => countTokens(text, asText)
  return {
    name: 'o200k',
    count(text) {
      let tokens = 0
      let at = 0
      for (const { 0: piece, index } of longRuns(text)) {
        if (index > at) tokens += count(text.slice(at, index))
        tokens += count(piece)
        at = index + piece.length
      }
      return tokens + count(text.slice(at))
    },
    slices: (text) => slicesOf(text, SLICE),
  }
}
