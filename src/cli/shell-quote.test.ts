import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { quoteForShell } from './shell-quote.ts'

it('does not quote plain words', () => {
  expect(quoteForShell('backfill-2026-01-31T09:30:00.000Z')).toBe('backfill-2026-01-31T09:30:00.000Z')
})

it.each(['', "it's a name", '$(id) `id` "x" \\', '--yes; rm *', 'ü'])('the shell reads %j unchanged', (word) => {
  const script = `for word in ${quoteForShell(word)}; do printf %s "$word"; done`
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(word)
})
