const waiting: (() => void)[] = []

/**
 * Lets other work of the process run. Long work calls it between its pieces. Only one piece runs in a turn of the event
 * loop: eight exports at once delay a short call by one piece, not by eight.
 *
 * The first piece waits for two immediates: the first of them runs in the turn of the socket event that set it, before
 * other events.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(setImmediate, runNext)
  })
}

function runNext(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(runNext)
}
