/** Counts what a text costs a model. Used on reads with a budget, never on writes. */
export interface Tokenizer {
  readonly name: string
  count(text: string): number
}
