import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'vite'
import { describe, expect, it } from 'vitest'

/** Drivers of each store. A new store gets a line here and a suite of its own (see the end). */
const DRIVERS: Record<string, readonly string[]> = {
  memory: [],
  sqlite: ['better-sqlite3', 'node:'],
  postgres: ['pg', 'node:'],
}

/** The same for caches. */
const CACHE_DRIVERS: Record<string, readonly string[]> = {
  redis: ['ioredis', 'node:'],
}

/**
 * What the files of a room may import, types and dynamic imports included. `a/` is a folder, `a:` a scheme, `*` means
 * anything, and `!` takes back.
 */
const RULES: Record<string, readonly string[]> = {
  'domain/': ['domain/'],
  'demo/': ['domain/', 'demo/'],
  'ports/': ['domain/', 'ports/'],
  'features/': [
    'domain/',
    'ports/',
    'features/',
    'http/route.ts',
    'http/response-schema.ts',
    'api.ts',
    'zod',
    'zod/mini',
    'node:crypto',
  ],
  // what the routes of the rooms are made of
  'http/route.ts': ['domain/', 'features/kernel/deps.ts', 'api.ts', 'zod/mini'],
  'http/response-schema.ts': ['zod'],
  'metrics/': ['domain/', 'ports/', 'metrics/', 'prom-client', 'node:v8'],
  'http/': [
    'domain/',
    'ports/',
    'features/',
    'metrics/',
    'http/',
    'fair-queue.ts',
    'api.ts',
    'zod',
    'fastify',
    '@fastify/static',
    '@fastify/swagger',
    'fastify-type-provider-zod',
    'openapi-types',
    'jose',
    'pino',
    'rate-limiter-flexible',
    'package-file.ts',
    'node:',
  ],
  'remote/': ['domain/', 'ports/', 'features/', 'api.ts', 'ids.ts', 'remote/', 'eventsource-parser'],
  'mcp/': [
    'domain/',
    'features/',
    'mcp/',
    'api.ts',
    'version.ts',
    'zod',
    '@modelcontextprotocol/server',
    '@modelcontextprotocol/server/stdio',
    'node:',
  ],
  'transcripts/': ['domain/', 'features/kernel/derived-id.ts', 'transcripts/', 'api.ts', 'zod', 'node:'],
  'legacy/': [
    'domain/',
    'ports/',
    'features/kernel/pace.ts',
    'legacy/',
    'open/target.ts',
    'better-sqlite3',
    'pg',
    'node:',
  ],
  'models/': ['domain/', 'ports/', 'models/', 'node:crypto'],
  'worker/': ['domain/', 'ports/', 'tokenizers/exact.ts', 'worker/', 'lazy.ts', 'package-file.ts', 'node:'],
  'tokenizers/': ['domain/', 'ports/', 'tokenizers/', 'gpt-tokenizer/'],
  'stores/conformance/': [
    'domain/',
    'ports/',
    'features/kernel/event-checksum.ts',
    'stores/conformance/',
    'api.ts',
    'open/',
    'service.ts',
    'ids.ts',
    'package-file.ts',
    'node:',
  ],
  // what stores share
  'stores/migrations.ts': ['domain/errors.ts', 'package-file.ts', 'stores/files.ts'],
  'stores/next-tick.ts': [],
  'stores/page.ts': ['domain/', 'ports/'],
  'stores/line.ts': ['domain/', 'ports/'],
  'stores/files.ts': [],
  'stores/stored-event.ts': ['ports/'],
  'stores/usage-numbers.ts': ['domain/'],
  'stores/usage-pages.ts': ['domain/', 'ports/'],
  'stores/storage-pages.ts': ['domain/', 'ports/'],
  'cache/conformance/': ['ports/', 'cache/conformance/', 'stores/conformance/harness.ts', 'node:'],
  'cli/': ['*', '!stores/conformance/', '!cache/conformance/'],
  'api.ts': ['domain/', 'ports/', 'api/'],
  'api/': ['domain/', 'ports/', 'api.ts'],
  'open/': ['*', '!cli/', '!http/', '!mcp/'],
  './': ['*', '!cli/'],
  ...Object.fromEntries(
    Object.entries(DRIVERS).map(([store, drivers]) => [
      `stores/${store}/`,
      [
        'domain/',
        'ports/',
        `stores/${store}/`,
        'stores/migrations.ts',
        'stores/next-tick.ts',
        'stores/page.ts',
        'stores/line.ts',
        'stores/files.ts',
        'stores/stored-event.ts',
        'stores/usage-numbers.ts',
        'stores/usage-pages.ts',
        'stores/storage-pages.ts',
        'fair-queue.ts',
        ...drivers,
      ],
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(CACHE_DRIVERS).map(([cache, drivers]) => [
      `cache/${cache}/`,
      ['domain/', 'ports/', `cache/${cache}/`, ...drivers],
    ]),
  ),
}

/** Packages that few rooms know. */
const HIDDEN: Record<string, string> = {
  'better-sqlite3': 'stores/sqlite/ or legacy/',
  pg: 'stores/postgres/ or legacy/',
  ioredis: 'cache/redis/',
  'gpt-tokenizer': 'tokenizers/',
  commander: 'cli/',
  'prom-client': 'metrics/',
  fastify: 'http/',
  jose: 'http/',
  pino: 'http/',
  'rate-limiter-flexible': 'http/',
  '@modelcontextprotocol/server': 'mcp/',
  'eventsource-parser': 'remote/',
}

/** What `import 'throughline'` must not load. */
const LAZY = [
  'better-sqlite3',
  'pg',
  'ioredis',
  'prom-client',
  'gpt-tokenizer',
  'commander',
  'fastify',
  'jose',
  'pino',
  'rate-limiter-flexible',
  '@modelcontextprotocol/server',
  'eventsource-parser',
  'node:fs',
  'node:crypto',
  'node:worker_threads',
  // takes 20 ms; zod/mini does the same in 5
  'zod',
  'remote',
  'http',
  'mcp',
]

const CATCH_ALLS = ['utils', 'types', 'helpers', 'common']

interface Import {
  /** Path below src, or the name of a package. */
  target: string
  kind: 'static' | 'dynamic' | 'type'
}

function importsOf(file: string, source: string): Import[] {
  const { module, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed`)
  const resolve = (request: string) => (request.startsWith('.') ? join(dirname(file), request) : request)

  const statements = [
    ...module.staticImports.map(({ start, moduleRequest }) => ({ start, request: moduleRequest.value })),
    ...module.staticExports.flatMap(({ start, entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest ? [{ start, request: moduleRequest.value }] : [])),
    ),
  ].map(({ start, request }): Import => {
    const typeOnly = /^(import|export)\s+type\b/.test(source.slice(start))
    return { target: resolve(request), kind: typeOnly ? 'type' : 'static' }
  })
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }): Import => {
    const literal = /^(['"`])([^$]*)\1$/.exec(source.slice(start, end))
    return { target: literal?.[2] === undefined ? '(computed)' : resolve(literal[2]), kind: 'dynamic' }
  })
  return [...statements, ...dynamic]
}

const root = fileURLToPath(new URL('.', import.meta.url))
const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => path.replaceAll('\\', '/'))
const files = paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
const imports = new Map(files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]))
const everyImport = [...imports].flatMap(([file, list]) => list.map((one) => ({ file, ...one })))
const stores = readdirSync(join(root, 'stores'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'conformance')
  .map(({ name }) => name)

const matches = (target: string, pattern: string) =>
  pattern === '*' || (/[/:]$/.test(pattern) ? target.startsWith(pattern) : target === pattern)
const allowed = (target: string, patterns: readonly string[]) =>
  patterns.some((pattern) => matches(target, pattern)) &&
  !patterns.some((pattern) => pattern.startsWith('!') && matches(target, pattern.slice(1)))
const isPackage = (target: string, name: string) => target === name || target.startsWith(`${name}/`)

/** The key in {@link RULES} that a file falls under: the file itself, or the longest folder. */
function ruleOf(file: string): string | undefined {
  const fitting = Object.keys(RULES).filter((rule) => matches(file, rule) || (rule === './' && !file.includes('/')))
  return fitting.toSorted((a, b) => b.length - a.length)[0]
}

const shown = ({ file, target }: { file: string; target: string }) => `${file} → ${target}`

describe('every file', () => {
  it('lies in a room that has a rule', () => {
    expect(files.filter((file) => ruleOf(file) === undefined)).toEqual([])
  })

  it.each(Object.entries(RULES))('of %s imports only %j', (rule, patterns) => {
    const wrong = everyImport.filter(({ file, target }) => ruleOf(file) === rule && !allowed(target, patterns))
    expect(wrong.map(shown)).toEqual([])
  })

  it.each(Object.entries(HIDDEN))('leaves %s to %s', (name, room) => {
    const wrong = everyImport.filter(
      ({ file, target }) => isPackage(target, name) && !room.split(' or ').some((one) => file.startsWith(one)),
    )
    expect(wrong.map(shown)).toEqual([])
  })

  it('is named after what it holds', () => {
    expect(paths.filter((path) => CATCH_ALLS.includes(basename(path).split('.')[0] ?? ''))).toEqual([])
  })
})

describe('the ports', () => {
  it('import types alone', () => {
    const code = everyImport.filter(({ file, kind }) => file.startsWith('ports/') && kind !== 'type')
    expect(code.map(shown)).toEqual([])
  })
})

describe('the rooms of the features', () => {
  /** Room of a feature's file; `undefined` for the kernel, which all rooms share. */
  const roomOf = (path: string) => /^features\/(?!kernel\/)([^/]+)\//.exec(path)?.[1]
  const between = everyImport.filter(
    ({ file, target }) =>
      file.startsWith('features/') && roomOf(target) !== undefined && roomOf(file) !== roomOf(target),
  )

  it('are entered by their siblings only through operation.ts, and for HTTP responses through response.ts', () => {
    const isResponse = ({ file, target }: { file: string; target: string }) =>
      /\/(route|response)\.ts$/.test(file) && target === `features/${roomOf(target)}/response.ts`
    const wrong = between
      .filter((one) => roomOf(one.file) !== undefined && !isResponse(one))
      .filter(({ target }) => target !== `features/${roomOf(target)}/operation.ts`)
    expect(wrong.map(shown)).toEqual([])
  })

  it('are known to the kernel by their types alone', () => {
    const code = between.filter(({ file, kind }) => roomOf(file) === undefined && kind !== 'type')
    expect(code.map(shown)).toEqual([])
  })

  it('have no loose files beside them', () => {
    expect(files.filter((file) => /^features\/[^/]+$/.test(file))).toEqual([])
  })

  it('do not need each other in a circle', () => {
    const circles = (room: string, above: readonly string[]): string[] => {
      if (above.includes(room)) return [[...above.slice(above.indexOf(room)), room].join(' → ')]
      const needed = between.filter(({ file }) => roomOf(file) === room).map(({ target }) => roomOf(target) ?? '')
      return [...new Set(needed)].flatMap((next) => circles(next, [...above, room]))
    }
    const rooms = new Set(files.flatMap((file) => roomOf(file) ?? []))
    expect([...rooms].flatMap((room) => circles(room, []))).toEqual([])
  })
})

describe('the package', () => {
  it.each(LAZY)('does not load %s before it is needed', (name) => {
    const cameFrom = new Map([['index.ts', '']])
    for (const file of cameFrom.keys()) {
      for (const { target, kind } of imports.get(file) ?? []) {
        if (kind === 'static' && !cameFrom.has(target)) cameFrom.set(target, file)
      }
    }
    const chain = (target: string): string => {
      const from = cameFrom.get(target)
      return from ? `${chain(from)} → ${target}` : target
    }
    expect(cameFrom.size).toBeGreaterThan(10)
    const isMeant = (target: string) => (name === 'zod' ? target === name : isPackage(target, name))
    expect([...cameFrom.keys()].filter(isMeant).map(chain)).toEqual([])
  })
})

describe('the inspector', () => {
  const inspector = join(root, '../inspector/src')
  const sources = readdirSync(inspector, { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path))

  it('bundles only domain/ and demo/, and takes types from the rest', () => {
    const wrong = sources.flatMap((path) =>
      importsOf(`../inspector/src/${path}`, readFileSync(join(inspector, path), 'utf8'))
        .filter(({ target, kind }) => kind !== 'type' && /^\.\.\/src\/(?!domain\/|demo\/)/.test(target))
        .map(({ target }) => shown({ file: path, target })),
    )
    expect(sources.length).toBeGreaterThan(100)
    expect(wrong).toEqual([])
  })
})

describe('every store', () => {
  it('is entered only through its index.ts', () => {
    const wrong = everyImport.filter(({ file, target }) => {
      const [, store = ''] = /^stores\/([^/]+)\//.exec(target) ?? []
      return stores.includes(store) && !file.startsWith(`stores/${store}/`) && target !== `stores/${store}/index.ts`
    })
    expect(wrong.map(shown)).toEqual([])
  })

  it('has its drivers listed here', () => {
    expect(stores.toSorted()).toEqual(Object.keys(DRIVERS).toSorted())
  })

  it.each(stores)('%s runs both suites', (store) => {
    const suite = join(root, 'stores', store, `${store}.int.test.ts`)
    expect(existsSync(suite), `${suite} exists`).toBe(true)
    const source = readFileSync(suite, 'utf8')
    expect(source).toMatch(/^\s*describeSessionStore\(/m)
    expect(source).toMatch(/^\s*describeThroughline\(/m)
  })
})

describe('every cache', () => {
  const caches = readdirSync(join(root, 'cache')).filter((cache) => cache !== 'conformance')

  it('is entered only through its index.ts', () => {
    const wrong = everyImport.filter(({ file, target }) => {
      const [, cache = ''] = /^cache\/([^/]+)\//.exec(target) ?? []
      return caches.includes(cache) && !file.startsWith(`cache/${cache}/`) && target !== `cache/${cache}/index.ts`
    })
    expect(wrong.map(shown)).toEqual([])
  })

  it('has its drivers listed here', () => {
    expect(caches.toSorted()).toEqual(Object.keys(CACHE_DRIVERS).toSorted())
  })

  it.each(caches.filter((cache) => cache !== 'none'))('%s loads its driver late and runs the suite', (cache) => {
    const early = everyImport.filter(
      ({ file, target, kind }) =>
        file.startsWith(`cache/${cache}/`) && kind === 'static' && HIDDEN[target] === `cache/${cache}/`,
    )
    expect(early.map(shown)).toEqual([])
    const suite = readFileSync(join(root, 'cache', cache, `${cache}.int.test.ts`), 'utf8')
    expect(suite).toMatch(/^\s*describeEnvelopeCache\(/m)
  })
})

describe('the reader of imports', () => {
  it('sees every kind there is, and nothing in comments and texts', () => {
    const source = `
      import { a } from './a.ts'
      import type { B } from '../ports/b.ts'
      import { type C } from 'c'
      import 'node:fs'
      import d, * as e from "d/e"
      export { f } from './f.ts'
      export type { G } from './g.ts'
      export * from './h.ts'
      // import 'comment'
      const text = "import 'text'"
      const i = await import('./i.ts')
      const j = (name) => import(name)
      const k = (name) => import(\`./\${name}.ts\`)`
    const found = importsOf('domain/x.ts', source).map(({ target, kind }) => `${kind} ${target}`)
    expect(found.toSorted()).toEqual(
      [
        'static domain/a.ts',
        'type ports/b.ts',
        'static c',
        'static node:fs',
        'static d/e',
        'static domain/f.ts',
        'type domain/g.ts',
        'static domain/h.ts',
        'dynamic domain/i.ts',
        'dynamic (computed)',
        'dynamic (computed)',
      ].toSorted(),
    )
  })
})
