/** Counts the tokens of a text. Used by reads with a budget, never by writes. */
export interface Tokenizer {
  readonly name: string
  count(text: string): number
  /**
   * Cuts a text into short slices, lazily, whose counts add up to the count of the text. A read with a budget stops
   * counting at the budget, and other work runs between two slices. Without this method texts beyond 16,000 characters
   * are cut between words.
   */
  slices?(text: string): Iterable<string>
}
