import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LIMIT } from './limit.ts'

/** A limit that is only a parameter. */
const BARE = /\blimit\s+(\?|[@:$]\w+\b)(?!\s*\+ 0)/i

test('no statement has a bare parameter for its limit', () => {
  expect('order by id limit ?').toMatch(BARE)
  expect(LIMIT).not.toMatch(BARE)
  const files = globSync('*.ts', { cwd: import.meta.dirname }).filter((name) => !name.endsWith('.test.ts'))
  expect(files.length).toBeGreaterThan(20)
  for (const name of files) expect(readFileSync(join(import.meta.dirname, name), 'utf8'), name).not.toMatch(BARE)
})
