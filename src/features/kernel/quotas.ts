import { QuotaExceededError, type QuotaKind } from '../../domain/errors.ts'
import { defined } from '../../domain/optional.ts'
import type { Principal } from '../../domain/record.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { SessionStore, StorageGroup } from '../../ports/session-store.ts'

/** Most bytes that may be stored. */
export interface QuotaLimits {
  /** By the sessions and memories of one tenant. @default no limit */
  tenantBytes?: number
  /** By those of one user. @default no limit */
  userBytes?: number
}

/** Bytes that each event and memory counts beside its text: for ids, times, checksum and index entries. */
export const ROW_BYTES = 256

/** What sessions and memories count. */
export function storedBytes({ bytes, events, memories }: Omit<StorageGroup, 'key'>): number {
  return bytes + ROW_BYTES * (events + memories)
}

/** Milliseconds for which a figure is used. */
const FRESH_MS = 30_000
/** How many times as long as its measurement a figure is used at least, so that measuring takes 2 % of the time. */
const FRESH_FACTOR = 50
/** A measurement that took fewer milliseconds may be repeated for each write that would be refused in doubt. */
const QUICK_MS = 100
/** Most tenants and users whose figures are kept. */
const MAX_ACCOUNTS = 10_000

/** What one tenant or user stores, as far as this process knows. */
interface Account {
  readonly quota: QuotaKind
  readonly limit: number
  readonly owner: Pick<Principal, 'tenant' | 'userId'>
  /** Bytes at the last measurement; 0 before the first. */
  measured: number
  /** Bytes that this process has written since. */
  added: number
  /** Bytes that it wrote during that measurement: they may be part of it or not. */
  unsure: number
  /** Until when the figure is used, and until when even if the caller removed something or part of it is unsure. */
  freshUntil: number
  keptUntil: number
  /** The caller removed something since the measurement began. */
  hasFreed: boolean
  measuring: Promise<void> | undefined
}

type Measured = Pick<SessionStore, 'storage'>

/**
 * Storage quotas. Measures what a tenant or user stores at most every 30 seconds and adds the writes of this process
 * meanwhile, so no write waits for a read. Only a write that would be refused waits for a measurement, if one is due.
 */
export class Quotas {
  readonly #store: Measured
  readonly #limits: QuotaLimits
  readonly #metrics: Pick<Metrics, 'overQuota'>
  readonly #now: () => number
  /** In the order of their last use. */
  readonly #accounts = new Map<string, Account>()

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(
    store: Measured,
    limits: QuotaLimits,
    metrics: Pick<Metrics, 'overQuota'>,
    now = () => performance.now(),
  ) {
    this.#store = store
    this.#limits = limits
    this.#metrics = metrics
    this.#now = now
  }

  /**
   * Runs a write of the caller, or `refuse` with the error if a quota is used up. `refuse` may return a result instead,
   * such as that of an earlier write with the same key.
   */
  async run<T>(caller: Principal, write: () => Promise<T>, refuse: (error: Error) => Promise<T>): Promise<T> {
    const suspect = this.#fullAccount(caller, (account) => storedIn(account) + account.unsure)
    if (suspect === undefined) return await write()
    await this.#refresh(suspect)
    const full = this.#fullAccount(caller, storedIn)
    if (full === undefined) return await write()
    const { quota, limit } = full
    const error = new QuotaExceededError({ quota, limit, used: storedIn(full) })
    try {
      return await refuse(error)
    } catch (thrown) {
      if (thrown === error) this.#metrics.overQuota(quota)
      throw thrown
    }
  }

  /** Counts what the caller has written. */
  add(caller: Principal, bytes: number): void {
    for (const account of this.#accountsOf(caller)) account.added += bytes
  }

  /** The caller has removed something, so the next write that would be refused measures again. */
  free(caller: Principal): void {
    for (const account of this.#accountsOf(caller)) account.hasFreed = true
  }

  #fullAccount(caller: Principal, stored: (account: Account) => number): Account | undefined {
    let full: Account | undefined
    for (const account of this.#accountsOf(caller)) {
      if (account.measuring === undefined && this.#now() >= account.freshUntil) void this.#refresh(account)
      if (stored(account) >= account.limit) full ??= account
    }
    return full
  }

  #accountsOf({ tenant, userId }: Principal): Account[] {
    const { tenantBytes, userBytes } = this.#limits
    const accounts: Account[] = []
    if (tenantBytes !== undefined) accounts.push(this.#account('tenant', tenantBytes, { tenant }))
    if (userBytes !== undefined && userId !== undefined) {
      accounts.push(this.#account('user', userBytes, { tenant, userId }))
    }
    return accounts
  }

  #account(quota: QuotaKind, limit: number, owner: Account['owner']): Account {
    const key = JSON.stringify([owner.tenant, owner.userId])
    const account = this.#accounts.get(key) ?? newAccount(quota, limit, owner)
    this.#accounts.delete(key)
    this.#accounts.set(key, account)
    const [oldest] = this.#accounts.keys()
    if (this.#accounts.size > MAX_ACCOUNTS && oldest !== undefined) this.#accounts.delete(oldest)
    return account
  }

  /** Measures an account, unless its figure is still used. */
  async #refresh(account: Account): Promise<void> {
    await account.measuring
    const isDoubtful = account.hasFreed || account.unsure > 0
    if (this.#now() < (isDoubtful ? account.keptUntil : account.freshUntil)) return
    account.measuring ??= this.#measure(account).finally(() => {
      account.measuring = undefined
    })
    await account.measuring
  }

  async #measure(account: Account): Promise<void> {
    const { owner, added } = account
    const start = this.#now()
    account.hasFreed = false
    try {
      const by = owner.userId === undefined ? 'tenant' : 'user'
      const [sums] = await this.#store.storage(defined({ by, ...owner, limit: 1 } as const))
      account.measured = sums === undefined ? 0 : storedBytes(sums)
      account.unsure = account.added - added
      account.added = 0
    } catch {
      // the write itself says what is wrong with the store
    }
    const took = this.#now() - start
    account.keptUntil = took < QUICK_MS ? 0 : this.#now() + FRESH_FACTOR * took
    account.freshUntil = Math.max(start + FRESH_MS, account.keptUntil)
  }
}

function storedIn({ measured, added }: Account): number {
  return measured + added
}

function newAccount(quota: QuotaKind, limit: number, owner: Account['owner']): Account {
  const nothing = { measured: 0, added: 0, unsure: 0, freshUntil: 0, keptUntil: 0 }
  return { quota, limit, owner, ...nothing, hasFreed: false, measuring: undefined }
}
