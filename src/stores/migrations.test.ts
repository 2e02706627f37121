import { describe, expect, it } from 'vitest'
import { stepsOf } from './migrations.ts'

describe('the steps of a migration', () => {
  it.each<[what: string, sql: string, kinds: string[]]>([
    ['one without marks', 'create table a ();\n-- a step: of its own', ['transaction']],
    [
      'one that ends with a transaction',
      '-- step: batches\nb\n-- step: transaction\nc',
      ['transaction', 'batches', 'transaction'],
    ],
    ['one that ends otherwise', 'a\n-- step: concurrently\nb\n', ['transaction', 'concurrently', 'transaction']],
  ])('of %s', (_, sql, kinds) => {
    expect(stepsOf(sql).map(({ kind }) => kind)).toEqual(kinds)
  })

  it('keep their statements in order', () => {
    const steps = stepsOf('a;\n-- step: batches\nb\n-- step: concurrently\nc\n')
    expect(steps.map(({ sql }) => sql.trim())).toEqual(['a;', 'b', 'c', ''])
  })
})
