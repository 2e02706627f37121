// A fresh process for S1: opens a store, and prints the time since the process started and its
// memory.
const [what = 'nothing', target = ''] = process.argv.slice(2)

if (what === 'throughline') {
  const { open } = await import('../../dist/index.js')
  await open(target)
} else if (what === 'better-sqlite3') {
  const { createRequire } = await import('node:module')
  const Database = createRequire(new URL('../../package.json', import.meta.url))('better-sqlite3')
  new Database(target).pragma('journal_mode = wal')
}
const ms = performance.now()
process.stdout.write(JSON.stringify({ ms, bytes: process.memoryUsage.rss() }))
process.exit()
