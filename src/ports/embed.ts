/**
 * Returns one vector per text, all of the same length; texts with similar meaning get similar vectors. A call has at
 * most 96 texts, none blank or longer than 2,000 characters; recent vectors are cached. The first call holds 96 sample
 * questions and answers in English that measure the function; one that cannot match them is not called again.
 */
export type Embed = (
  texts: readonly string[],
) => readonly ArrayLike<number>[] | PromiseLike<readonly ArrayLike<number>[]>

/**
 * Combines word scores with meaning: one score per item, in order. Never fails; without vectors it returns the word
 * scores.
 */
export type Fuse = (
  query: string,
  items: readonly { readonly content: string; readonly score: number }[],
) => Promise<number[]>
