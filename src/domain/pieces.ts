/** Runs a computation that yields between its pieces, without pauses. */
export function complete<Result>(pieces: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value
  }
}

/** Splits items into groups of at most `most` by size; a group has at least one item. */
export function* groupBySize<Item>(
  items: Iterable<Item>,
  most: number,
  sizeOf: (item: Item) => number,
): Generator<Item[]> {
  let group: Item[] = []
  let size = 0
  for (const item of items) {
    const own = sizeOf(item)
    if (group.length > 0 && size + own > most) {
      yield group
      group = []
      size = 0
    }
    group.push(item)
    size += own
  }
  if (group.length > 0) yield group
}
