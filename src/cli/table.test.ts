import { afterEach, describe, expect, it } from 'vitest'
import { renderTable } from './table.ts'

const { COLUMNS } = process.env
afterEach(() => {
  if (COLUMNS === undefined) delete process.env['COLUMNS']
  else process.env['COLUMNS'] = COLUMNS
})

describe('table', () => {
  it('makes columns as wide as their cells', () => {
    const rows = [
      ['a', '1'],
      ['long', '2'],
    ]
    const columns = [
      { title: 'name', value: ([name = '']: string[]) => name },
      { title: 'n', value: ([, n = '']: string[]) => n },
    ]
    expect(renderTable(rows, columns)).toBe('name  n\na     1\nlong  2')
  })

  it('pads before it colors, so that colors do not move the columns', () => {
    const paint = (text: string) => `<${text}>`
    expect(renderTable(['a', 'bc'], [{ value: (row) => row, paint }, { value: () => 'x' }])).toBe('<a >  x\n<bc>  x')
  })

  it('cuts values longer than the column', () => {
    expect(renderTable(['123456'], [{ value: (row) => row, maxWidth: 4 }])).toBe('123…')
  })

  it('replaces control characters', () => {
    expect(renderTable(['a\u001b[2Jb\u009b\u202ec\n\td'], [{ value: (row) => row }])).toBe('a�[2Jb��c d')
  })

  it('measures terminal columns, and aligns numbers right', () => {
    const columns = [
      { title: 'name', value: ([name = '']: string[]) => name },
      { title: 'n', value: ([, n = '']: string[]) => n, align: 'right' as const },
    ]
    const rows = [
      ['日本', '1'],
      ['e\u0301', '100'],
      ['👩‍💻👩‍💻👩‍💻', '10'],
    ]
    expect(renderTable(rows, columns).split('\n')).toEqual([
      'name      n',
      '日本      1',
      'e\u0301       100',
      '👩‍💻👩‍💻👩‍💻   10',
    ])
  })

  it('prints rows as blocks on narrow terminals', () => {
    process.env['COLUMNS'] = '30'
    const rows = ['a'.repeat(20), 'b'.repeat(20)]
    const columns = [
      { title: 'session', value: (row: string) => row },
      { title: 'expected', value: () => 'one two three four five six', paint: (text: string) => `<${text}>` },
    ]
    expect(renderTable(rows, columns)).toBe(
      [
        'session   aaaaaaaaaaaaaaaaaaaa',
        'expected  <one two three four>',
        '          <five six>',
        '',
        'session   bbbbbbbbbbbbbbbbbbbb',
        'expected  <one two three four>',
        '          <five six>',
      ].join('\n'),
    )
  })

  it('wraps the last column of a list if there is room, and keeps an id whole', () => {
    const list = [{ value: () => 'label' }, { value: () => 'one two three four five' }]
    process.env['COLUMNS'] = '24'
    expect(renderTable([1], list)).toBe('label  one two three\n       four five')
    const id = 'x'.repeat(36)
    expect(renderTable([1], [{ value: () => 'id' }, { value: () => id }])).toBe(`id\n  ${id}`)
    process.env['COLUMNS'] = '20'
    expect(renderTable([1], list)).toBe('label  one two three four five')
  })
})
