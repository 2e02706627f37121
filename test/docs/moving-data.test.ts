import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { exportLines, importLines, open } from '../../src/index.ts'

const page = readFileSync(new URL('../../docs/moving-data.md', import.meta.url), 'utf8')

it('the export in the docs is one that the code writes and reads', async () => {
  const [, shown = ''] = /<!-- an export.*-->\n```json\n([\s\S]*?)```/.exec(page) ?? []
  const blocks = []
  for await (const block of importLines(shown.split('\n'))) blocks.push(block)
  let text = ''
  for await (const line of exportLines(blocks)) text += line
  expect(text).toBe(shown)
  const { value: first } = await exportLines([], { of: blocks[0]?.sessionId }).next()
  expect(page).toContain(`\`${first?.trimEnd()}\``)
  const tl = await open('memory:')
  expect(await tl.import(blocks)).toMatchObject({ created: 1, refused: [] })
  await tl.close()
})

it('the docs name every line type and every field of a checksum line', () => {
  const [, lines = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  const rows = [...page.matchAll(/^\| (`.*?)\|/gm)].map(([, cell = '']) => cell)
  const named = (name: string) => rows.some((row) => row.includes(`\`${name}\``))
  for (const line of lines.trim().split('\n')) {
    const { kind, ...fields } = JSON.parse(line) as Record<string, unknown>
    expect(named(String(kind))).toBe(true)
    if (kind === 'check') expect(Object.keys(fields).filter((name) => !named(name))).toEqual([])
  }
})
