import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXIT_OF } from '../../src/cli/exit-codes.ts'
import { MESSAGE_INTENTS } from '../../src/domain/classify.ts'
import { ACTIONS } from '../../src/domain/intent.ts'
import { LIFECYCLE, LIVE_STATES, lifecycleDiagram } from '../../src/domain/lifecycle.ts'
import { STATUS } from '../../src/http/error-response.ts'
import { ERROR_CODES, LIMITS } from '../../src/index.ts'
import { readLabelled, score } from '../data/intents/labelled.ts'

const root = join(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'))
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
]
const textOf = (page: string) => readFileSync(join(root, page), 'utf8')

/** Cells of a table row, without code marks. */
const cellsOf = (row: string) =>
  row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.replaceAll('`', '').trim())

/** Code blocks that say which example they show. */
const shown = pages.flatMap((page) =>
  [...textOf(page).matchAll(/<!-- examples\/(\S+) -->\n```ts\n([\s\S]*?)```/g)].map(([, file = '', code = '']) => ({
    page,
    file,
    code,
  })),
)

describe('the documents', () => {
  it('show the first example in the README', () => {
    expect(shown.map(({ page, file }) => `${page}: ${file}`)).toContain('README.md: quickstart.ts')
  })

  it.each(shown)('show $file in $page unchanged', ({ file, code }) => {
    expect(readFileSync(join(root, 'examples', file), 'utf8')).toBe(code)
  })

  it.each(pages)('link from %s only to existing targets', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => target)
    expect(links.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([])
  })

  it('explain exactly the existing error codes, with status and exit code', () => {
    const rows = [...textOf('docs/errors.md').matchAll(/^\| `[A-Z_]+` \|.*$/gm)].map(([row]) => cellsOf(row))
    expect(rows.filter((row) => row.length !== 5 || row.includes(''))).toEqual([])
    const told = rows.map(([code, , , status, exit]) => [code, Number(status), Number(exit)])
    const codes = ERROR_CODES.map((code) => [code, STATUS[code], EXIT_OF[code]])
    expect(told.toSorted()).toEqual(codes.toSorted())
  })

  it('list exactly the existing limits', () => {
    const [, limits = ''] = textOf('docs/errors.md').split('## Limits')
    const rows = [...limits.matchAll(/^\| .* \| ([\d,]+) \|$/gm)].map(([, limit = '']) =>
      Number(limit.replaceAll(',', '')),
    )
    const sorted = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b)
    expect(sorted(rows)).toEqual(sorted(Object.values(LIMITS)))
  })

  it('draw the session lifecycle as in the code', () => {
    const drawn = textOf('docs/lifecycle.md').match(
      /<!-- printed by lifecycleDiagram\(\).*-->\n```mermaid\n([\s\S]*?)```/,
    )
    expect(drawn?.[1]).toBe(lifecycleDiagram())
  })

  it('list every lifecycle call with its states', () => {
    const rows = [...textOf('docs/lifecycle.md').matchAll(/^\| `(\w+)\(.*?\)` \| (.*?) \| (.*?) \|/gm)].map((row) =>
      row.slice(1),
    )
    const calls = Object.entries(LIFECYCLE).map(([call, { from, to }]) => {
      const states =
        from.length === LIVE_STATES.length ? 'any live state' : from.map((state) => `\`${state}\``).join(', ')
      return [call, states, `\`${to}\``]
    })
    expect(rows).toEqual(calls)
  })

  it('describe every intent in every state, and every action', () => {
    const page = textOf('docs/lifecycle.md')
    const [head = '', body = ''] = page.match(/^\| intent \|.*\n\| ---.*\n((?:\|.*\n)+)/m) ?? []
    expect(cellsOf(head.split('\n')[0] ?? '')).toEqual(['intent', ...LIVE_STATES])
    expect(body.trim().split('\n').map(cellsOf)).toEqual(
      MESSAGE_INTENTS.map((intent) => [intent, ...LIVE_STATES.map((state) => ACTIONS[intent][state])]),
    )
    const [, explained = ''] = page.match(/^\| action \|.*\n\| ---.*\n((?:\|.*\n)+)/m) ?? []
    const actions = new Set(Object.values(ACTIONS).flatMap((byState) => Object.values(byState)))
    const rows = explained
      .trim()
      .split('\n')
      .map((row) => cellsOf(row)[0])
    expect(rows.sort()).toEqual([...actions].sort())
  })

  it('give the measured figures of the classifier on the held-out messages', () => {
    const page = textOf('docs/lifecycle.md')
    const held = readLabelled('held')
    const { table, accuracy, precision, recall } = score(held)
    const percent = (share: number) => `${(100 * share).toFixed(1)} %`
    expect(page).toContain(`on ${held.length} labelled messages`)
    expect(page).toContain(`accuracy ${percent(accuracy)}`)
    for (const label of MESSAGE_INTENTS) {
      const counts = MESSAGE_INTENTS.map((given) => table[label][given])
      expect(page).toContain(`| ${[label, ...counts, percent(precision[label]), percent(recall[label])].join(' | ')} |`)
    }
  })

  it('have a doc comment for every public export', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => textOf(`src/${file}`))
      .join('\n')
    const names = ['src/index.ts', 'src/testing.ts'].flatMap((page) =>
      [...textOf(page).matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
        list.split(',').map((name) => name.replace('type ', '').trim()),
      ),
    )
    const documented = (name: string) =>
      new RegExp(`\\*/\\nexport (?:async )?(?:abstract )?(?:interface|type|const|class|function\\*?) ${name}\\b`).test(
        sources,
      )
    expect(names.filter((name) => name !== '' && !documented(name))).toEqual([])
    expect(names.length).toBeGreaterThan(40)
  })

  it('name every rule of the store port', () => {
    const port = readFileSync(join(root, 'src/ports/session-store.ts'), 'utf8')
    const rules = [...port.matchAll(/^ \* - (S\d+) /gm)].map(([, rule]) => rule)
    const suites = readdirSync(join(root, 'src/stores'), { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(root, 'src/stores', file), 'utf8'))
      .join('\n')
    expect(rules).toHaveLength(44)
    expect(rules.filter((rule) => !suites.includes(`id: '${rule}'`) && !suites.includes(`it('${rule} `))).toEqual([])
  })
})
