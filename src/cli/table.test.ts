import { describe, expect, it } from 'vitest'
import { table } from './table.ts'

describe('table', () => {
  it('makes columns as wide as they need to be', () => {
    const rows = [
      ['a', '1'],
      ['long', '2'],
    ]
    const columns = [
      { title: 'name', value: ([name = '']: string[]) => name },
      { title: 'n', value: ([, n = '']: string[]) => n },
    ]
    expect(table(rows, columns)).toBe('name  n\na     1\nlong  2')
  })

  it('pads before it paints, so that colours do not move the columns', () => {
    const paint = (text: string) => `<${text}>`
    expect(table(['a', 'bc'], [{ value: (row) => row, paint }, { value: () => 'x' }])).toBe('<a >  x\n<bc>  x')
  })

  it('cuts what is longer than its column', () => {
    expect(table(['123456'], [{ value: (row) => row, width: 4 }])).toBe('123…')
  })

  it('lets nothing through that could steer a terminal', () => {
    expect(table(['a\u001b[2Jb\u009b\u202ec\n\td'], [{ value: (row) => row }])).toBe('a�[2Jb��c d')
  })
})
