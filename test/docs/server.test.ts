import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/http/admission.ts'
import { STATUS } from '../../src/http/error-response.ts'
import { ROUTES } from '../../src/http/routes.ts'
import { ERROR_CODES } from '../../src/index.ts'
import { serve } from '../../src/server.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
const page = textOf('docs/server.md')
/** The text under a heading. */
const sectionOf = (title: string) => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''

/** Cells of each table row of a section, without code marks. */
const rowsOf = (title: string) =>
  [...sectionOf(title).matchAll(/^\|.*\|$/gm)].map(([row]) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim()),
  )

describe('the server page', () => {
  it('lists exactly the existing routes', () => {
    const shown = rowsOf('Routes')
      .map(([route = '']) => route.replace('…', '/sessions/{id}'))
      .filter((route) => /^[A-Z]+ \//.test(route))
    const routes = ROUTES.map(({ method, path }) => `${method} ${path}`)
    expect(shown.toSorted()).toEqual([...routes, 'GET / (that is, /v1)'].toSorted())
  })

  it('marks the routes that take observations, long-running ones, and those that work through many sessions', () => {
    const marks = rowsOf('Routes').map(([route = '', takes = '']) => {
      return `${route.replace('…', '/sessions/{id}')} ${/(?:^|(?<= ))([WLB]( B)?)$/.exec(takes)?.[1] ?? ''}`.trim()
    })
    const marked = ROUTES.flatMap(({ method, path, work, long, bulk }) => {
      if (path.endsWith('/steps')) return []
      const letters = [work !== undefined && 'W', long && 'L', bulk && 'B'].filter((mark) => typeof mark === 'string')
      return letters.length === 0 ? [] : [`${method} ${path} ${letters.join(' ')}`]
    })
    expect(marks.filter((mark) => / [WLB]$/.test(mark)).toSorted()).toEqual(marked.toSorted())
  })

  it('lists every setting that the code reads, except that of clients', () => {
    const read = globSync('src/**/*.ts', { cwd: root })
      .filter((file) => !file.endsWith('.test.ts'))
      .flatMap((file) => [...textOf(file).matchAll(/'((?:THROUGHLINE|SESSION)_[A-Z_]+)'/g)].map(([, name]) => name))
    const shown = rowsOf('Run it').flatMap((row) => row.filter((cell) => /^(THROUGHLINE|SESSION)_\w+$/.test(cell)))
    const codes: readonly (string | undefined)[] = ERROR_CODES
    const settings = new Set(read.filter((name) => !codes.includes(name)))
    expect([...shown, 'THROUGHLINE_TOKEN'].toSorted()).toEqual([...settings].toSorted())
  })

  it('lists every limit with its default', () => {
    const shown = rowsOf('Limits').filter(([, value = '']) => /^\d+$/.test(value))
    expect(Object.fromEntries(shown.map(([name, value]) => [name, Number(value)]))).toEqual(DEFAULT_LIMITS)
  })

  it('lists every code with its status', () => {
    const shown = rowsOf('Problems')
      .filter(([status = '']) => /^\d+$/.test(status))
      .flatMap(([status, codes = '']) => codes.split(', ').map((code) => [code, Number(status)]))
    expect(Object.fromEntries(shown)).toEqual(STATUS)
  })

  it('shows a curl session whose responses match', async () => {
    const [, script = ''] = /```sh\n([\s\S]*?)```/.exec(sectionOf('A session with curl')) ?? []
    const id = crypto.randomUUID()
    const server = await serve({ url: 'memory:', port: 0, log: 'silent' })
    try {
      const answers: string[] = []
      for (const { method, path, headers, body } of callsIn(script, id)) {
        const signal = AbortSignal.timeout(10_000)
        const init = { method, headers, signal, ...(body !== undefined && { body }) }
        const answer = await fetch(`${server.url}/v1${path}`, init)
        answers.push(`${answer.status} ${method} ${path.replace(id, 'ID')}`)
        await answer.body?.cancel()
      }
      expect(answers).toEqual([
        '201 POST /sessions',
        '201 POST /sessions/ID/events',
        '200 GET /sessions/ID/recent?maxTurns=10',
        '200 GET /sessions/ID/stream',
        '200 PATCH /sessions/ID/state',
        '409 POST /sessions/ID/confirm',
        '200 POST /sessions/ID/end',
      ])
    } finally {
      await server.close()
    }
  })
})

/** The requests that curl would send, for the options that the page uses. */
function callsIn(script: string, id: string) {
  return script
    .split(/^curl /m)
    .slice(1)
    .map((call) => {
      const body = / -d '((?:[^']|'\$id')*)'/.exec(call)?.[1]?.replace("'$id'", id)
      const named = [...call.matchAll(/ -H ('[^']*'|"\$json")/g)].map(([, header = '']) =>
        header === '"$json"' ? 'Content-Type: application/json' : header.slice(1, -1),
      )
      return {
        method: / -X (\w+)/.exec(call)?.[1] ?? (body === undefined ? 'GET' : 'POST'),
        path: (/\$api([^\s"]*)/.exec(call)?.[1] ?? '').replace('$id', id),
        headers: Object.fromEntries(named.map((header) => header.split(': '))),
        body,
      }
    })
}
