/** Selects the largest values without sorting all of them. */

/**
 * Returns the indexes of at most `most` largest values, best first, without values below 0. `order` compares equal
 * values.
 */
export function topIndexes(values: Float64Array, most: number, order: (a: number, b: number) => number): number[] {
  const value = (n: number) => values[n] ?? 0
  const compare = (a: number, b: number) => value(b) - value(a) || order(a, b)
  // a heap with the worst of the best on top
  const heap: number[] = []
  const worse = (i: number, j: number) => compare(heap[i] ?? 0, heap[j] ?? 0) > 0
  const swap = (i: number, j: number) => {
    const kept = heap[i] ?? 0
    heap[i] = heap[j] ?? 0
    heap[j] = kept
  }
  const rise = (from: number) => {
    let i = from
    for (let up = (i - 1) >> 1; i > 0 && worse(i, up); i = up, up = (i - 1) >> 1) swap(i, up)
  }
  const sink = () => {
    for (let i = 0; ; ) {
      const left = 2 * i + 1
      let worst = left < heap.length && worse(left, i) ? left : i
      if (left + 1 < heap.length && worse(left + 1, worst)) worst = left + 1
      if (worst === i) return
      swap(i, worst)
      i = worst
    }
  }
  for (let n = values.length - 1; n >= 0; n--) {
    const top = heap[0] ?? 0
    if (value(n) < 0) continue
    if (heap.length < most) rise(heap.push(n) - 1)
    else if (value(n) >= value(top) && compare(n, top) < 0) {
      heap[0] = n
      sink()
    }
  }
  return heap.sort(compare)
}
