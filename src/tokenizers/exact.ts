import type { Tokenizer } from '../ports/tokenizer.ts'

/**
 * The encoder merges a run of letters, signs or blanks in quadratic time: 100,000 without a break took up to a minute.
 * Longer runs than this are counted piece by piece, which adds at most a token for each piece.
 */
const PIECE = 256
const LONG_RUN = new RegExp(`[\\p{L}\\p{M}]{${PIECE},}|[^\\p{L}\\p{M}\\p{N}\\s]{${PIECE},}|\\s{${PIECE},}`, 'gu')

/** Counts as OpenAI's o200k encoding does, offline. Names of special tokens in a text are just text. */
export async function exactTokenizer(): Promise<Tokenizer> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const asText = { disallowedSpecial: new Set<string>() }
  const count = (text: string) => countTokens(text, asText)
  return {
    name: 'o200k',
    count(text) {
      let tokens = 0
      let at = 0
      for (const run of text.matchAll(LONG_RUN)) {
        const end = run.index + run[0].length
        tokens += count(text.slice(at, run.index))
        for (let from = run.index; from < end; from += PIECE)
          tokens += count(text.slice(from, Math.min(from + PIECE, end)))
        at = end
      }
      return tokens + count(text.slice(at))
    },
  }
}
