import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../../src/index.ts'

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

  it.each(shown)('show $file in $page as it is', ({ file, code }) => {
    expect(readFileSync(join(root, 'examples', file), 'utf8')).toBe(code)
  })

  it.each(pages)('link from %s only to what is there', (page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => target)
    expect(links.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([])
  })

  it('explain every error code, and none that is not there', () => {
    const rows = [...textOf('docs/errors.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
    expect(rows.sort()).toEqual([...ERROR_CODES].sort())
  })

  it('say of every public export what it is', () => {
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
      new RegExp(`\\*/\\nexport (?:async )?(?:abstract )?(?:interface|type|const|class|function) ${name}\\b`).test(
        sources,
      )
    expect(names.filter((name) => name !== '' && !documented(name))).toEqual([])
    expect(names.length).toBeGreaterThan(40)
  })

  it('name every rule of the port that a store must keep', () => {
    const port = readFileSync(join(root, 'src/ports/session-store.ts'), 'utf8')
    const rules = [...port.matchAll(/^ \* - (S\d+) /gm)].map(([, rule]) => rule)
    const suites = readdirSync(join(root, 'src/stores'), { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(join(root, 'src/stores', file), 'utf8'))
      .join('\n')
    expect(rules).toHaveLength(22)
    expect(rules.filter((rule) => !suites.includes(`id: '${rule}'`) && !suites.includes(`it('${rule} `))).toEqual([])
  })
})
