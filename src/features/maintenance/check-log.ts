import type { Difference } from '../../api.ts'
import { bytesOfAll } from '../../domain/event-size.ts'
import type { StoredEvent } from '../../ports/session-store.ts'
import { hashedLine, hashOf, type Range } from '../compaction/operation.ts'
import { nodeCrypto } from '../kernel/crypto.ts'
import type { Deps } from '../kernel/deps.ts'
import { checksumOf } from '../kernel/event-checksum.ts'

/** A hash that a commit or a summary recorded. */
interface RecordedHash {
  /** Sequence of the commit or summary. */
  sequence: number
  range: Range
  hash: string
}

/** Finds damage in one log: missing events, changed events, and ranges whose recorded hash they no longer have. */
export class LogCheck {
  readonly damage: Difference[] = []
  /** The sequence that must come next. */
  next = 1
  /** Bytes of all events so far. */
  bytes = 0
  readonly #deps: Deps
  readonly #sessionId: string
  /** Of all events so far. */
  readonly #hash = nodeCrypto().createHash('sha256')
  /** Those of other ranges than the whole log before them. */
  readonly #others: RecordedHash[] = []

  constructor(deps: Deps, sessionId: string) {
    this.#deps = deps
    this.#sessionId = sessionId
  }

  /** Checks the next event. */
  add(stored: StoredEvent, checksum = ''): void {
    const { sequence } = stored
    if (sequence !== this.next) this.#report('log', { expected: this.next, actual: sequence })
    this.next = sequence + 1
    this.bytes += bytesOfAll([stored])
    const actual = checksumOf(stored, checksum)
    if (actual !== checksum) this.#report('log.checksum', { sequence, expected: checksum, actual })
    else this.#checkHash(stored)
    this.#hash.update(hashedLine(stored))
  }

  /** Ends the check of a log whose head is `head`. */
  async finish(head: number): Promise<void> {
    if (this.next <= head) this.#report('log', { expected: this.next })
    // ranges of summaries do not overlap; those of a forged import may, and must not cost the square of the log
    let budget = 2 * this.next
    for (const recorded of this.#others) {
      const { from, to } = recorded.range
      budget -= to - from + 1
      if (budget < 0) return
      this.#compare(recorded, await hashOf(this.#deps, this.#sessionId, recorded.range))
    }
  }

  #checkHash(stored: StoredEvent): void {
    const recorded = recordedHash(stored)
    if (recorded === undefined) return
    const { from, to } = recorded.range
    if (from === 1 && to === stored.sequence - 1) this.#compare(recorded, this.#hash.copy().digest('hex'))
    else this.#others.push(recorded)
  }

  #compare({ sequence, range, hash }: RecordedHash, actual: string): void {
    // a range with a missing or changed event has another hash in any case
    if (hash !== actual && !this.damage.some((known) => isWithin(known, range))) {
      this.#report('log.hash', { sequence, expected: hash, actual })
    }
  }

  #report(field: string, what: Omit<Difference, 'sessionId' | 'field'>): void {
    this.damage.push({ sessionId: this.#sessionId, field, ...what })
  }
}

/** What a commit or summary recorded. An imported commit may have neither range nor hash. */
function recordedHash({ sequence, type, parts = '{}' }: StoredEvent): RecordedHash | undefined {
  if (type !== 'session_compacted' && type !== 'context_summarized') return undefined
  const { range, hash } = JSON.parse(parts) as Partial<RecordedHash>
  return range === undefined || hash === undefined ? undefined : { sequence, range, hash }
}

/** Whether missing events, or a changed one, are in the range. */
function isWithin({ field, sequence, expected, actual }: Difference, { from, to }: Range): boolean {
  if (field === 'log') return Number(expected) <= to && Number(actual ?? Number.POSITIVE_INFINITY) > from
  return field === 'log.checksum' && sequence !== undefined && sequence >= from && sequence <= to
}
