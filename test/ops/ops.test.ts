import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { httpMetrics, newRegistry } from '../../src/metrics/http.ts'
import { prometheusMetrics } from '../../src/metrics/prometheus.ts'
import { requirePromtool } from './promtool.ts'

const root = join(import.meta.dirname, '../..')
const ops = join(root, 'ops')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

const rules = textOf('ops/alerts.yml')
const cases = textOf('ops/alerts.test.yml')
const operations = textOf('docs/operations.md')
const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name)

interface Panel {
  title: string
  targets: { expr: string }[]
}
interface Dashboard {
  schemaVersion: number
  panels: Panel[]
  templating: { list: { name: string; type: string; definition?: string }[] }
}
const dashboard = () => JSON.parse(textOf('ops/dashboard.json')) as Dashboard
/** The queries of the dashboard, with its variables filled in. */
const questions = () =>
  dashboard().panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.+')),
  )

/** Runs promtool, and fails with its output. */
function promtool(...args: string[]): string {
  try {
    return execFileSync(requirePromtool(), args, { cwd: ops, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`promtool ${args.join(' ')}\n${stdout}${stderr}`, { cause: error })
  }
}

/** Every metric, with the labels it has, after each call of the port was made once. */
async function registered(): Promise<Map<string, string[]>> {
  const registry = new Registry()
  const metrics = await prometheusMetrics(registry)
  metrics.cache.count('write', 'written')
  metrics.refreshed('found', 0.001)
  metrics.invalid('reserved_key')
  metrics.wrote('create', 'ok', 0.001)
  const found = (await registry.getMetricsAsJSON()).map(({ name, values }): [string, string[]] => {
    const labels = values.flatMap((value) => Object.keys(value.labels))
    return [name, [...new Set(labels)]]
  })
  return new Map(found)
}

/** Every metric of a server, with its labels, after each was set once. */
async function served(): Promise<Map<string, string[]>> {
  const registry = newRegistry()
  const metrics = httpMetrics(registry)
  metrics.answered({ method: 'GET', route: '/v1', status: 200 }, 0.001)
  metrics.streams(1)
  metrics.refused('bulk')
  metrics.ready(true)
  metrics.store({ bytes: 1, freeBytes: 1, waiting: 0 })
  metrics.behind(0)
  return new Map(
    (await registry.getMetricsAsJSON()).map(({ name, values }) => [
      name,
      [...new Set(values.flatMap((value) => Object.keys(value.labels)))],
    ]),
  )
}

/** The metrics of an expression with their selectors. */
function used(text: string): { name: string; selector: string }[] {
  const names = /\b((?:session_envelope|conversation_worker|throughline|nodejs)_\w+|\w+(?=[{[]))(?:\{([^}]*)\})?/g
  return [...text.matchAll(names)].map(([, name = '', selector = '']) => ({
    name: name.replace(/_(bucket|sum|count)$/, ''),
    selector,
  }))
}

/** The expectations for an alert in the unit tests. */
const expectationsOf = (alert: string) =>
  cases.split(/^ +- (?=\{? ?(?:eval_time|name):)/m).filter((part) => part.includes(`alertname: ${alert}`))

beforeAll(() => void requirePromtool(), 600_000)

describe('the rules for Prometheus', () => {
  it('are accepted by promtool', () => {
    expect(promtool('check', 'rules', 'alerts.yml')).toContain(`SUCCESS: ${alerts.length} rules found`)
  })

  it('pass their unit tests', () => {
    expect(promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
  })

  it('are loaded by the configuration', () => {
    expect(promtool('check', 'config', 'prometheus.yml')).toContain('SUCCESS: 1 rule files found')
  })

  it('define the documented alerts', () => {
    expect(alerts).toContain('SessionEnvelopeCacheErrors')
    expect(alerts).toHaveLength(new Set(alerts).size)
    expect(alerts.length).toBeGreaterThanOrEqual(8)
  })

  it.each(alerts)('have a case in which %s fires, and one in which it does not', (alert) => {
    const expectations = expectationsOf(alert)
    expect(expectations.filter((part) => part.includes('exp_labels:'))).not.toEqual([])
    expect(expectations.filter((part) => part.includes('exp_alerts: []'))).not.toEqual([])
  })

  it.each(alerts)('give %s a severity, a summary and a runbook link', (alert) => {
    const [, rule = ''] = rules.split(new RegExp(`- alert: ${alert}\n`))
    const [body = ''] = rule.split('- alert:')
    expect(body).toMatch(/^ +severity: (critical|warning)$/m)
    expect(body).toMatch(/^ +summary: \S/m)
    expect(body).toMatch(/^ +description: \S/m)
    expect(body).toContain(`runbook_url: docs/operations.md#${alert.toLowerCase()}\n`)
    expect(operations).toContain(`\n### ${alert}\n`)
  })

  it('are exactly those that the operations page explains', () => {
    const explained = [...operations.matchAll(/^### ((?:SessionEnvelope|Throughline)\w+)$/gm)].map(
      ([, name = '']) => name,
    )
    expect(explained).toEqual(alerts)
  })
})

describe('the dashboard', () => {
  it('works in Grafana 10 and newer, with any Prometheus', () => {
    const { schemaVersion, templating, panels } = dashboard()
    expect(schemaVersion).toBeGreaterThanOrEqual(38)
    expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' })
    const sources = [...textOf('ops/dashboard.json').matchAll(/"type": "prometheus", "uid": "([^"]*)"/g)]
    expect(new Set(sources.map(([, uid]) => uid))).toEqual(new Set([`\${datasource}`]))
    expect(panels).toHaveLength(19)
    expect(panels.every(({ title, targets }) => title !== '' && targets.length > 0)).toBe(true)
  })

  it('holds only valid PromQL', () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-ops-'))
    try {
      const file = join(folder, 'questions.yml')
      const asRules = questions().map((expr, n) => ({ record: `question:${n}`, expr }))
      // JSON is YAML too
      writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }))
      expect(promtool('check', 'rules', file)).toContain(`SUCCESS: ${asRules.length} rules found`)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('the metrics', () => {
  const places = () => ({
    'alerts.yml': rules,
    'alerts.test.yml': cases,
    'dashboard.json': [...questions(), ...dashboard().templating.list.map(({ definition = '' }) => definition)].join(
      ' ',
    ),
  })

  it.each(['alerts.yml', 'alerts.test.yml', 'dashboard.json'] as const)('that %s uses exist', async (place) => {
    const known = new Map([...(await registered()), ...(await served()), ['ALERTS', ['alertname', 'alertstate']]])
    const found = used(places()[place])
    expect(found.length).toBeGreaterThan(8)
    expect(found.filter(({ name }) => !known.has(name))).toEqual([])
    const wrong = found.flatMap(({ name, selector }) =>
      [...selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)]
        .filter(([, label = '']) => ![...(known.get(name) ?? []), 'job', 'instance', 'le'].includes(label))
        .map(([, label]) => `${name}{${label}}`),
    )
    expect(wrong).toEqual([])
  })

  it('are all on the dashboard', async () => {
    const shown = new Set(used(places()['dashboard.json']).map(({ name }) => name))
    const own = [...(await served()).keys()].filter((name) => name.startsWith('throughline_'))
    expect([...(await registered()).keys(), ...own].filter((name) => !shown.has(name))).toEqual([])
  })

  it('are exactly those on the operations page, with their labels', async () => {
    const rows = [...operations.matchAll(/^\| `(\w+_(?:total|seconds))` \| (.*?) \|/gm)].map(
      ([, name = '', labels = '']) => {
        return `${name} ${[...labels.matchAll(/`(\w+)`:/g)].map(([, label]) => label).join(',')}`
      },
    )
    const known = [...(await registered())].map(
      ([name, labels]) => `${name} ${labels.filter((l) => l !== 'le').join(',')}`,
    )
    expect(rows.toSorted()).toEqual(known.toSorted())
  })
})

describe('promtool', () => {
  it('fails with the install command if it is missing and cannot be downloaded', () => {
    const kept = mkdtempSync(join(tmpdir(), 'throughline-ops-'))
    try {
      expect(() => requirePromtool({ path: '/nowhere', kept })).toThrow(
        'promtool is not installed; as root run: apt-get install -y --no-install-recommends prometheus',
      )
      expect(existsSync(join(kept, 'promtool'))).toBe(false)
    } finally {
      rmSync(kept, { recursive: true })
    }
  })
})
