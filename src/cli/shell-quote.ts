/** Quotes a word for the shell, so that printed commands can be copied. */
export function quoteForShell(word: string): string {
  return /^[\w.,:@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
