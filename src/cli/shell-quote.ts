/** The word as a shell takes it, so that a command can be copied from what is printed. */
export function quoteForShell(word: string): string {
  return /^[\w.,:@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
