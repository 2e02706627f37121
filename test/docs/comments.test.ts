import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const SOURCES = '{src,inspector,test,bench,examples,scripts,ops}/**/*.{ts,tsx,mjs,sql,css}'
const COMMENT = /^\s*(\/\/|\/?\*|--)/

it('no comment is wider than 120 columns', () => {
  const files = globSync(SOURCES, { cwd: root, exclude: ['**/node_modules', '**/schema.sql'] })
  expect(files.length).toBeGreaterThan(1000)
  const wide = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, i) => (COMMENT.test(line) && line.length > 120 ? [`${file}:${i + 1}`] : [])),
  )
  expect(wide).toEqual([])
})
