import { expect, expectTypeOf, it } from 'vitest'
import { defined } from './optional.ts'

it('leaves out keys that are undefined, and keeps null, false, zero, empty texts and the order of keys', () => {
  const given = { z: 0, gone: undefined, n: null, no: false, empty: '', a: [undefined] }
  expect(Object.entries(defined(given))).toEqual([
    ['z', 0],
    ['n', null],
    ['no', false],
    ['empty', ''],
    ['a', [undefined]],
  ])
})

it('makes keys optional that may be undefined', () => {
  const given: { id: string; task: string | undefined } = { id: 'a', task: undefined }
  const result: { id: string; task?: string } = defined(given)
  expect('task' in result).toBe(false)
  expectTypeOf(defined(given)).not.toHaveProperty('missing')
})
