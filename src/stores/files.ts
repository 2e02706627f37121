/** What the stores need of Node's files. Imported by name, `node:fs` brings its streams along, which take 6 ms to load. */
export const { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } =
  process.getBuiltinModule('node:fs')
