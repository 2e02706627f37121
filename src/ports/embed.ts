/**
 * Gives each text a vector, all of one length; texts that mean alike get vectors that point alike. It is asked for at most 96 texts at a
 * time, none of them blank or longer than 2,000 characters, and not again for those it has lately answered for. The first 96 are
 * made-up questions and answers in English: by them it is measured, and unless it tells meaning from words it is not asked any further.
 */
export type Embed = (
  texts: readonly string[],
) => readonly ArrayLike<number>[] | PromiseLike<readonly ArrayLike<number>[]>

/** Scores by meaning as well as by words: one for each of `items`, in their order. Never fails, and never changes what it was given: in the end there are the words. */
export type Fuse = (
  query: string,
  items: readonly { readonly content: string; readonly score: number }[],
) => Promise<number[]>
