/** Number of partitions. Ids and stored rows depend on it, so it never changes. */
export const PARTITIONS = 1024

/**
 * The partition of a user's data: a hash of tenant and user id. Everything of one user is in one partition, so a call
 * for that user needs one node. `context.partition_of` in the Postgres schema computes the same; both are tested with
 * the same vectors.
 *
 * FNV-1a over the UTF-8 bytes of tenant, a zero byte and user id. Its high bits are folded onto the low ones, which
 * alone depend only on the low bits of each byte.
 */
export function partitionOf(tenant: string, userId: string): number {
  const hash = fnv1a(userId, fnv1a('\0', fnv1a(tenant, 0x811c9dc5)))
  return (hash ^ (hash >>> 10) ^ (hash >>> 20)) & (PARTITIONS - 1)
}

function fnv1a(text: string, start: number): number {
  let hash = start
  const add = (byte: number) => {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) as number
    if (code < 0x80) {
      add(code)
    } else if (code < 0x800) {
      add(0xc0 | (code >> 6))
      add(0x80 | (code & 0x3f))
    } else if (code < 0x10000) {
      add(0xe0 | (code >> 12))
      add(0x80 | ((code >> 6) & 0x3f))
      add(0x80 | (code & 0x3f))
    } else {
      add(0xf0 | (code >> 18))
      add(0x80 | ((code >> 12) & 0x3f))
      add(0x80 | ((code >> 6) & 0x3f))
      add(0x80 | (code & 0x3f))
      // the second half of the surrogate pair
      i++
    }
  }
  return hash >>> 0
}

/** The partition that a UUID points to: its last ten bits. Right for ids made here, a guess for others. */
export function partitionInId(id: string): number {
  return Number.parseInt(id.slice(-3), 16) & (PARTITIONS - 1)
}

/** The id of a new session: a random or derived UUID whose last ten bits point to the partition of its owner. */
export function sessionIdFor({ tenant, userId }: { tenant: string; userId: string }, id: string): string {
  const rest = Number.parseInt(id.slice(-3), 16) & ~(PARTITIONS - 1)
  return id.slice(0, -3) + (rest | partitionOf(tenant, userId)).toString(16).padStart(3, '0')
}
