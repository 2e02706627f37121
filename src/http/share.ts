/** Who uses a share. */
export interface Holder {
  /** The same for all requests of one caller. */
  readonly name: string
  /** Absent: only the whole is limited. The operator has none, nor have callers of a server without a token key. */
  readonly tenant?: string
}

/** Why something does not fit: the whole is in use, or the part that this tenant or caller may have. */
export type NoRoom = 'whole' | 'share'

/**
 * Divides a capacity among tenants, and a tenant's part among its callers, by what is free at the moment. A tenant may
 * hold as much as is free, and a caller as much as its tenant may still take. So one busy tenant gets half of the
 * capacity and one busy caller a third, two busy tenants come to a third each, and some of it stays free for others.
 */
export class Share {
  readonly #capacity: number
  readonly #tenants = new Map<string, number>()
  readonly #callers = new Map<string, number>()
  #held = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Takes an amount, or returns why there is no room for it. */
  take(amount: number, { name, tenant }: Holder): NoRoom | undefined {
    const free = this.#capacity - this.#held
    if (amount > free) return 'whole'
    if (tenant !== undefined) {
      const [ofTenant, ofCaller] = [this.#tenants.get(tenant) ?? 0, this.#callers.get(name) ?? 0]
      if (ofTenant + amount > free || ofCaller + amount > free - ofTenant) return 'share'
      this.#tenants.set(tenant, ofTenant + amount)
      this.#callers.set(name, ofCaller + amount)
    }
    this.#held += amount
    return undefined
  }

  /** Gives back what was taken. */
  release(amount: number, { name, tenant }: Holder): void {
    this.#held -= amount
    if (tenant === undefined) return
    subtract(this.#tenants, tenant, amount)
    subtract(this.#callers, name, amount)
  }
}

function subtract(held: Map<string, number>, key: string, amount: number): void {
  const left = (held.get(key) ?? 0) - amount
  if (left > 0) held.set(key, left)
  else held.delete(key)
}
