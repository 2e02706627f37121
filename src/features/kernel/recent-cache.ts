/**
 * Keeps recently used values: at least the last `size`, at most twice as many. It has two generations: when the young
 * one is full, it becomes the old one, whose values move back when they are used.
 */
export class RecentCache<V> {
  readonly #size: number
  #young = new Map<string, V>()
  #old = new Map<string, V>()

  constructor(size: number) {
    this.#size = size
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: V): void {
    this.#young.set(key, value)
    if (this.#young.size < this.#size) return
    this.#old = this.#young
    this.#young = new Map()
  }
}
