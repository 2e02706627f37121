/** Lets other work of the process run. Long work calls it between its pieces. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
