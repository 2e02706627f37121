import { afterEach, describe, expect, it } from 'vitest'
import { displayWidth } from './display-width.ts'
import { fitTable, renderFittedTable } from './fitted-table.ts'
import { lineWidth } from './line-width.ts'

const { COLUMNS } = process.env
afterEach(() => {
  if (COLUMNS === undefined) delete process.env['COLUMNS']
  else process.env['COLUMNS'] = COLUMNS
})

const rows = [
  { name: 'a', text: 'x'.repeat(100) },
  { name: 'long name', text: 'short' },
]
const drawn = (columns: string) => {
  process.env['COLUMNS'] = columns
  const name = {
    title: 'name',
    value: (row: { name: string }) => row.name,
    paint: (t: string) => `\x1b[1m${t}\x1b[22m`,
  }
  return renderFittedTable(rows, [name], { title: 'text', value: ({ text }) => text }).split('\n')
}

describe('a fitted table', () => {
  it('fills the line with the text, with and without colors', () => {
    const [head, first, second] = drawn('60')
    expect(head).toBe('name       text')
    expect(first).toBe(`\x1b[1ma        \x1b[22m  ${'x'.repeat(48)}…`)
    expect(second).toBe('\x1b[1mlong name\x1b[22m  short')
  })

  it('puts the text on a line of its own on narrow terminals, and always shows some of it', () => {
    expect(drawn('28')).toEqual(['\x1b[1ma\x1b[22m', `  ${'x'.repeat(25)}…`, '\x1b[1mlong name\x1b[22m', '  short'])
    expect(drawn('12')[1]).toBe(`  ${'x'.repeat(17)}…`)
  })

  it('drops columns on narrow terminals, the highest dropOrder first', () => {
    const titlesAt = (columns: string) => {
      process.env['COLUMNS'] = columns
      const column = (title: string, spare?: number) => ({ title, value: () => '12345678', dropOrder: spare ?? 0 })
      const spares = [column('id'), column('first', 2), column('second', 1)]
      return renderFittedTable(rows, spares, { title: 'text', value: ({ text }) => text }).split('\n')[0]
    }
    expect(titlesAt('50')).toBe('id        first     second    text')
    expect(titlesAt('49')).toBe('id        second    text')
    expect(titlesAt('39')).toBe('id        text')
    expect(titlesAt('29')).toBe('12345678')
  })

  it('keeps its layout for later rows, and fits the line with wide characters', () => {
    process.env['COLUMNS'] = '40'
    const name = { title: 'name', value: (row: { name: string }) => row.name, least: 6 }
    const { head, renderRows: lines } = fitTable(rows, [name], { title: 'text', value: ({ text }) => text })
    expect(head).toEqual(['name       text'])
    const [later = ''] = lines([{ name: '日本語の名前', text: '文'.repeat(50) }])
    expect(later).toBe(`日本語の…  ${'文'.repeat(14)}…`)
    expect(displayWidth(later)).toBe(40)
  })

  it('never cuts a number, even if a later one is longer', () => {
    process.env['COLUMNS'] = '60'
    const count = { title: 'n', value: (row: { name: string }) => row.name, align: 'right' } as const
    const { renderRows: lines } = fitTable([{ name: '7', text: '' }], [count], {
      title: 'text',
      value: ({ text }) => text,
    })
    expect(lines([{ name: '123456', text: 'many' }])).toEqual(['123456  many'])
  })

  it('uses COLUMNS only if it is a number', () => {
    for (const odd of ['', 'wide', '-3', '0', '1.5']) {
      process.env['COLUMNS'] = odd
      expect(lineWidth()).toBe(process.stdout.columns || 160)
    }
    process.env['COLUMNS'] = '80'
    expect(lineWidth()).toBe(80)
  })
})
