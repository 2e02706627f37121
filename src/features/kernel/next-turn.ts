/**
 * Lets other work of the process run. Long work calls it between its pieces.
 *
 * Waits for two immediates: the first one runs in the turn of the socket event that set it, before other events.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(setImmediate, resolve))
}
