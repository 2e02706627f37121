/** Waits until continuations of settled promises have run, so a caller that writes again at once joins this batch. */
export function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}
