/**
 * Items of several owners, in lines. The owners take turns, so a long line makes nobody else wait. An owner is a path,
 * such as tenant and user: tenants take turns, and so do the users of each.
 */
export class FairLines<T> {
  /** By the first name of the path. Who had the last turn is at the end. */
  readonly #owners = new Map<unknown, FairLines<T>>()
  readonly #items: T[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(item: T, [owner, ...rest]: readonly unknown[]): void {
    this.#size++
    if (owner === undefined) {
      this.#items.push(item)
      return
    }
    const lines = this.#owners.get(owner) ?? new FairLines<T>()
    lines.add(item, rest)
    this.#owners.set(owner, lines)
  }

  /** Removes the first item of the owner whose last turn is longest ago. */
  next(): T | undefined {
    if (this.#size === 0) return undefined
    this.#size--
    for (const [owner, lines] of this.#owners) {
      this.#owners.delete(owner)
      const item = lines.next()
      if (lines.size > 0) this.#owners.set(owner, lines)
      return item
    }
    return this.#items.shift()
  }
}
