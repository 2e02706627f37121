/** Counts the tokens of a text. Used by reads with a budget, never by writes. */
export interface Tokenizer {
  readonly name: string
  count(text: string): number
}
