/** What the stores need of Node's files. Imported by name, `node:fs` brings its streams along, which take 6 ms to load. */
export const {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} = process.getBuiltinModule('node:fs')
