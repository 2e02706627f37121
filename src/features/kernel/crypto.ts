let loaded: typeof import('node:crypto') | undefined

/** Node's crypto, loaded on first use: loading takes 10 ms, and not every process hashes or makes ids. */
export function nodeCrypto(): typeof import('node:crypto') {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}
