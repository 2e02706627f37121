import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { requirePromtool } from './promtool.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

interface Service {
  build?: string
  image?: string
  environment?: Record<string, string>
  ports?: string[]
  volumes?: string[]
  networks?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test?: string[]; disable?: boolean }
}
const compose = parse(textOf('compose.yaml')) as {
  services: Record<string, Service>
  networks: Record<string, null>
  volumes: Record<string, null>
}
const services = Object.entries(compose.services)
const built = services.filter(([, { build }]) => build !== undefined)
/** The mounts of each service. */
const mounts = services.flatMap(([service, { volumes = [] }]) =>
  volumes.map((volume) => {
    const [source = '', target = '', mode] = volume.split(':')
    return { service, source, target, mode }
  }),
)
const files = mounts.filter(({ source }) => source.startsWith('./'))

/** Names of settings that the code reads. */
const read = new Set(
  globSync('src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...textOf(file).matchAll(/'((?:THROUGHLINE|SESSION)_[A-Z_]+)'/g)].map(([, name]) => name)),
)

beforeAll(() => void requirePromtool(), 600_000)

describe('compose.yaml', () => {
  it('builds the server, and pins the version of every other image', () => {
    expect(built.map(([name, { build }]) => [name, build])).toEqual([
      ['migrate', '.'],
      ['server', '.'],
    ])
    const images = services.flatMap(([, { image }]) => (image === undefined ? [] : [image]))
    expect(images).toHaveLength(services.length - built.length)
    expect(images.filter((image) => !/:v?\d+/.test(image))).toEqual([])
  })

  it('mounts only existing files, read-only', () => {
    expect(files.length).toBeGreaterThan(4)
    expect(files.filter(({ source }) => !existsSync(join(root, source)))).toEqual([])
    expect(files.filter(({ mode }) => mode !== 'ro')).toEqual([])
  })

  it('refers only to its own volumes, networks and services', () => {
    const volumes = mounts.map(({ source }) => source).filter((source) => !source.startsWith('./'))
    expect(volumes.toSorted()).toEqual(Object.keys(compose.volumes).toSorted())
    const networks = services.flatMap(([, service]) => service.networks ?? [])
    expect(new Set(networks)).toEqual(new Set(Object.keys(compose.networks)))
    const awaited = services.flatMap(([, { depends_on = {} }]) => Object.keys(depends_on))
    expect(awaited.filter((name) => compose.services[name] === undefined)).toEqual([])
  })

  it('waits for health only where a health check exists', () => {
    const healthy = services.flatMap(([, { depends_on = {} }]) =>
      Object.entries(depends_on)
        .filter(([, { condition }]) => condition === 'service_healthy')
        .map(([name]) => name),
    )
    expect(healthy.toSorted()).toEqual(['postgres', 'redis'])
    expect(healthy.filter((name) => compose.services[name]?.healthcheck?.test === undefined)).toEqual([])
    expect(compose.services['server']?.depends_on?.['migrate']?.condition).toBe('service_completed_successfully')
  })

  it('sets only variables that the server reads', () => {
    const set = built.flatMap(([, { environment = {} }]) => Object.keys(environment))
    expect(set).toContain('THROUGHLINE_JWT_SECRET')
    // read by the Postgres driver, so that a password needs no URL encoding
    expect(set.filter((name) => name !== 'PGPASSWORD' && !read.has(name))).toEqual([])
  })

  it('has no secret, and does not start without one', () => {
    const values = services.flatMap(([, { environment = {} }]) => Object.entries(environment))
    const secret = values.filter(([name]) => /PASSWORD|SECRET/.test(name))
    expect(secret.length).toBeGreaterThan(6)
    expect(secret.filter(([, value]) => !/^\$\{[A-Z_]+:\?[^}]+\}$/.test(value))).toEqual([])
    expect(values.filter(([, value]) => /:\/\/[^@/]*:[^@/]*@/.test(value))).toEqual([])
  })

  it('listens only on this machine, the server on its default port', () => {
    const ports = services.flatMap(([, service]) => service.ports ?? [])
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
    expect(compose.services['server']?.ports).toEqual(['127.0.0.1:4747:4747'])
    expect(compose.services['postgres']?.ports ?? compose.services['redis']?.ports).toBeUndefined()
    expect(textOf('src/serve.ts')).toContain("portSetting('THROUGHLINE_PORT') ?? 4747")
  })
})

describe('what compose.yaml mounts', () => {
  it('lets Prometheus scrape the server, with the same configuration as on one machine', () => {
    const alone = parse(textOf('ops/prometheus.yml'))
    const targets = alone.scrape_configs[0].static_configs[0].targets as string[]
    expect(targets.splice(0, 1, 'server:4747')).toEqual(['localhost:4747'])
    expect(parse(textOf('ops/compose/prometheus.yml'))).toEqual(alone)
  })

  it('is a configuration that Prometheus accepts, with the alerts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'throughline-ops-'))
    try {
      for (const { source, target } of files.filter(({ service }) => service === 'prometheus')) {
        cpSync(join(root, source), join(folder, basename(target)))
      }
      const said = execFileSync(requirePromtool(), ['check', 'config', 'prometheus.yml'], {
        cwd: folder,
        encoding: 'utf8',
      })
      expect(said).toContain('SUCCESS: 1 rule files found')
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('lets Grafana show the dashboard from that Prometheus', () => {
    const [source] = parse(textOf('ops/grafana/provisioning/datasources/prometheus.yml')).datasources
    const { hostname, port } = new URL(source.url)
    expect(compose.services[hostname]?.ports?.[0]?.split(':').at(-1)).toBe(port)
    const [provider] = parse(textOf('ops/grafana/provisioning/dashboards/throughline.yml')).providers
    const shown = files.filter(({ target }) => target.startsWith(`${provider.options.path}/`))
    expect(shown.map(({ source }) => source)).toEqual(['./ops/dashboard.json'])
    expect(files.find(({ source }) => source === './ops/grafana/provisioning')?.target).toBe(
      '/etc/grafana/provisioning',
    )
  })
})
