import type { Tokenizer } from '../ports/tokenizer.ts'

/**
 * The encoder merges a run of letters, signs or blanks in quadratic time: 100,000 without a break took up to a minute.
 * Longer runs than this are counted piece by piece, which adds a token or two for each piece. Marks go with letters
 * and with signs, line breaks with blanks and with signs: 🏳️‍🌈 or `//` on every line is one run for the encoder.
 */
const MAX_RUN = 256
const RUNS = ['[\\p{L}\\p{M}]', '[[^\\p{L}\\p{N}\\s]\\r\\n]', '\\s']
const LONG_RUNS = new RegExp(RUNS.map((run) => `${run}{${MAX_RUN}}`).join('|'), 'gv')

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
      for (const { 0: piece, index } of text.matchAll(LONG_RUNS)) {
        if (index > at) tokens += count(text.slice(at, index))
        tokens += count(piece)
        at = index + piece.length
      }
      return tokens + count(text.slice(at))
    },
  }
}
