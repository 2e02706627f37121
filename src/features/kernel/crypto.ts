let loaded: typeof import('node:crypto') | undefined

/** Node's crypto, loaded on first use: loading takes 10 ms, and not every process hashes or makes ids. */
export function nodeCrypto(): typeof import('node:crypto') {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

/** Bytes drawn at once: one draw per id or salt cost more than the rest of an in-memory append. */
const POOL = 16_384
let pool = ''
let used = 0

/** Returns random hex digits, at most a few hundred. No digit is returned twice. */
export function randomDigits(count: number): string {
  if (used + count > pool.length) {
    pool = nodeCrypto().randomBytes(POOL).toString('hex')
    used = 0
  }
  used += count
  return pool.slice(used - count, used)
}
