import type { Tokenizer } from '../ports/tokenizer.ts'

/**
 * Maximum run of letters, symbols or white space. The encoder merges a run in quadratic time: 100,000 characters took
 * up to a minute. Longer runs are counted in pieces, which adds a token or two per piece. Marks belong to letters and
 * to symbols, line breaks to white space and to symbols: 🏳️‍🌈 or `//` on every line is one run for the encoder.
 */
const MAX_RUN = 256
const RUNS = ['[\\p{L}\\p{M}]', '[[^\\p{L}\\p{N}\\s]\\r\\n]', '\\s']
const LONG_RUNS = new RegExp(RUNS.map((run) => `${run}{${MAX_RUN}}`).join('|'), 'gv')

/** Counts like OpenAI's o200k encoding, offline. Special token names in a text count as plain text. */
export async function exactTokenizer(): Promise<Tokenizer> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  const asText = { disallowedSpecial: new Set<string>() }
  const count = (text: string) => countTokens(text, asText)
  return {
    name: 'o200k',
    count(text) {
      let tokens = 0
      let at = 0
      for (const { 0: piece, index } of text.matchAll(LONG_RUNS)) {
        if (index > at) tokens += count(text.slice(at, index))
        tokens += count(piece)
        at = index + piece.length
      }
      return tokens + count(text.slice(at))
    },
  }
}
