import { exactTokenizer } from '../tokenizers/exact.ts'

const tokenizer = await exactTokenizer()

/** Counts a text slice by slice, until the count is above `atMost`. */
export function* countTokens(text: string, atMost: number): Generator<undefined, number> {
  let tokens = 0
  for (const slice of tokenizer.slices(text)) {
    tokens += tokenizer.count(slice)
    if (tokens > atMost) break
    yield
  }
  return tokens
}
