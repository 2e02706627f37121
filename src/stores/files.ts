/** The `node:fs` functions of the stores. A named import would also load streams, which takes 6 ms. */
export const {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeFileSync,
} = process.getBuiltinModule('node:fs')
