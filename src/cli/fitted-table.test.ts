import { afterEach, describe, expect, it } from 'vitest'
import { fittedTable, lineWidth } from './fitted-table.ts'

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
  return fittedTable(rows, [name], { title: 'text', value: ({ text }) => text }).split('\n')
}

describe('a fitted table', () => {
  it('fills the line with the text, whatever the colours', () => {
    const [head, first, second] = drawn('60')
    expect(head).toBe('name       text')
    expect(first).toBe(`\x1b[1ma        \x1b[22m  ${'x'.repeat(48)}…`)
    expect(second).toBe('\x1b[1mlong name\x1b[22m  short')
  })

  it('leaves some text where there is no room', () => {
    expect(drawn('12')[1]).toBe(`\x1b[1ma        \x1b[22m  ${'x'.repeat(19)}…`)
  })

  it('goes by COLUMNS only if that is a number', () => {
    for (const odd of ['', 'wide', '-3', '0', '1.5']) {
      process.env['COLUMNS'] = odd
      expect(lineWidth()).toBe(process.stdout.columns || 160)
    }
    process.env['COLUMNS'] = '80'
    expect(lineWidth()).toBe(80)
  })
})
