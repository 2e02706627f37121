import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MAX_MESSAGE_BYTES } from '../../src/mcp/line-splitter.ts'
import { RESUME } from '../../src/mcp/prompts.ts'
import { SESSION_LIST, SESSION_RESOURCES } from '../../src/mcp/resources.ts'
import { MAX_RESPONSE, MAX_TEXT } from '../../src/mcp/response-limits.ts'
import { TOOLS } from '../../src/mcp/tools.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')

/** Cells of each row of the table under a heading, without code marks. */
const rowsOf = (title: string) =>
  [...(page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `.*\|$/gm)].map(([row]) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  )

describe('the MCP page', () => {
  it('lists every tool with its effect, in order', () => {
    expect(rowsOf('Tools').map(([name, , effect]) => [name, effect])).toEqual(
      TOOLS.map(({ name, effect }) => [name, effect]),
    )
  })

  it('lists every resource with its format, in order', () => {
    const format = (type: string) => (type === 'application/json' ? 'JSON' : 'Markdown')
    const resources = SESSION_RESOURCES.map(({ path, mimeType }) => [`${SESSION_LIST.uri}${path}`, format(mimeType)])
    expect(rowsOf('Resources').map(([uri, , type]) => [uri, type])).toEqual([[SESSION_LIST.uri, 'JSON'], ...resources])
    expect(page).toContain(`The prompt \`${RESUME.name}\``)
  })

  it('states the size limits of a response', () => {
    const [text, response] = [MAX_TEXT, MAX_RESPONSE].map((most) => most.toLocaleString('en'))
    expect(page).toContain(`Texts are truncated after ${text} characters, responses after ${response}`)
    expect(page).toContain(`A message may have ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB`)
    const textOnly = TOOLS.filter(({ output }) => output === undefined).map(({ name }) => `\`${name}\``)
    expect(page).toContain(`${textOnly.join(', ')} returns text only`)
  })

  it('shows valid JSON settings', () => {
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json))
    expect(blocks).toHaveLength(3)
  })
})
