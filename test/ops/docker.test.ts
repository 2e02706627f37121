import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { serve } from '../../src/server.ts'
import { freePort } from '../servers/postgres.ts'

const root = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/** Instructions of the Dockerfile, a line each. */
const lines = textOf('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/ *\\\n */g, ' ')
  .split('\n')
  .filter((line) => line !== '')
/** The arguments of each use of an instruction. */
const all = (instruction: string) =>
  lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1))
const last = (instruction: string) => all(instruction).at(-1) ?? ''

describe('the Dockerfile', () => {
  it('copies only existing files, and everything that .dockerignore allows', () => {
    const sources = all('COPY')
      .filter((copy) => !copy.startsWith('--from='))
      .flatMap((copy) => copy.split(' ').slice(0, -1))
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
    const allowed = [...textOf('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path)
    expect(new Set(sources)).toEqual(new Set(allowed))
    expect(textOf('.dockerignore')).toMatch(/^\*$/m)
  })

  it('copies only from its own stages', () => {
    const stages = all('FROM').flatMap((from) => from.split(' AS ').slice(1))
    const used = all('COPY').flatMap((copy) => /^--from=(\S+)/.exec(copy)?.slice(1) ?? [])
    expect(new Set(used)).toEqual(new Set(stages))
  })

  it('uses one major version of Node, which the package supports', () => {
    expect(new Set(all('FROM').map((from) => from.split(' ')[0]))).toEqual(new Set(['node:24-slim']))
    expect(JSON.parse(textOf('package.json')).engines.node).toBe('>=22.12')
  })

  it('runs the command of the package, without a shell and not as root', () => {
    const { bin, devDependencies } = JSON.parse(textOf('package.json'))
    expect(JSON.parse(last('ENTRYPOINT'))).toEqual(['node', `/app/${bin.throughline}`])
    expect(JSON.parse(last('CMD'))).toEqual(['serve'])
    expect(last('WORKDIR')).toBe('/app')
    expect(last('USER')).toBe('node')
    const drivers = [...textOf('Dockerfile').matchAll(/devDependencies\.(\w+)/g)].map(([, name = '']) => name)
    expect(drivers.map((name) => typeof devDependencies[name])).toEqual(['string', 'string'])
  })

  it('checks the health of a server as Docker would', async () => {
    const check = JSON.parse(last('HEALTHCHECK').replace(/^.*? CMD /, '')) as string[]
    const ask = (port: number) =>
      promisify(execFile)(process.execPath, check.slice(1), { env: { THROUGHLINE_PORT: String(port) } })
    const server = await serve({ url: 'memory:', port: 0, log: 'silent' })
    try {
      expect(await ask(Number(new URL(server.url).port))).toEqual({ stdout: '', stderr: '' })
    } finally {
      await server.close()
    }
    await expect(ask(await freePort())).rejects.toMatchObject({ code: 1 })
    expect([check[0], last('EXPOSE')]).toEqual(['node', '4747'])
  })
})
