import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const bin = (script: string, ...args: string[]) => run(process.execPath, [join(root, 'node_modules', script), ...args])

let folder: string
let tarball: string
let installed: string

/** The package as users get it: packed, unpacked, and with only its declared dependencies. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  })
  const packed = JSON.parse(stdout) as { filename: string }[] | Record<string, { filename: string }>
  tarball = join(folder, Object.values(packed)[0]?.filename ?? '')
  installed = join(folder, 'node_modules/throughline')
  await mkdir(installed, { recursive: true })
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed])
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link)
  }
})
afterAll(() => rm(folder, { recursive: true }))

async function script(code: string, ...flags: string[]): Promise<string> {
  const file = join(folder, 'script.mjs')
  await writeFile(file, code)
  return (await run(process.execPath, [...flags, file], { cwd: folder })).stdout.trim()
}

describe('the package', () => {
  it('holds exactly the files that users need', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball])
    const files = stdout.trim().split('\n')
    expect(files).toContain('package/dist/index.d.ts')
    for (const store of ['sqlite', 'postgres']) {
      const folder = `package/dist/stores/${store}/migrations/`
      expect(files.filter((file) => file.startsWith(folder))).toEqual([`${folder}0001_init.sql`])
    }
    expect(files).toContain('package/dist/stores/sqlite/template.db')
    expect(files).toContain('package/LICENSE')
    expect(files).toContain('package/dist/inspector/index.html')
    expect(files.filter((file) => file.startsWith('package/docs/images/'))).toEqual([])
    expect(files.filter((file) => /\.test\.ts|\.test\.js|^package\/(src|test|bench|scripts)\//.test(file))).toEqual([])
  })

  it('satisfies publint and arethetypeswrong', async () => {
    const lint = await bin('publint/src/cli.js', tarball, '--strict')
    expect(lint.stdout).toContain('All good!')
    // exits with an error, and so rejects, when it finds a problem
    const types = await bin('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only')
    expect(types.stdout).toContain('throughline/testing')
  })

  it('loads no driver and opens nothing when it is imported', async () => {
    // the permission model forbids writing files, native addons, child processes and workers
    const code = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      const before = process.getActiveResourcesInfo().length
      const { open } = await import('throughline')
      const opened = process.getActiveResourcesInfo().length - before
      console.log(JSON.stringify({ opened, loaded: loaded.filter((url) => /better-sqlite3|gpt-tokenizer|commander|node:fs|stores/.test(url)) }))`
    const printed = await script(code, '--permission', '--allow-fs-read=*')
    expect(JSON.parse(printed)).toEqual({ opened: 0, loaded: [] })
  })

  it('loads throughline/session from a single file', async () => {
    const code = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context) } })
      const { memorySession } = await import('throughline/session')
      const session = memorySession()
      session.addMessage({ role: 'user', content: 'hello' })
      console.log(JSON.stringify({ said: session.messages(), loaded: loaded.map((url) => url.split('/').slice(-2).join('/')) }))`
    expect(JSON.parse(await script(code))).toEqual({
      said: [{ role: 'user', content: 'hello' }],
      loaded: ['dist/session.js'],
    })
  })

  it('works in memory without the database driver', async () => {
    const code = `
      import { open } from 'throughline'
      const tl = await open('memory:')
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append({ type: 'user_message', content: 'hello' })
      console.log((await session.record()).head)`
    expect(await script(code, '--permission', '--allow-fs-read=*')).toBe('2')
  })

  it('runs the embedded store, its command line and its suites', async () => {
    const code = `
      import { open } from 'throughline'
      const tl = await open()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append({ type: 'user_message', content: 'hello' })
      await tl.close()
      console.log('done')`
    expect(await script(code)).toBe('done')
    const cli = await run(process.execPath, [join(installed, 'bin/throughline.js'), 'verify', '--json'], {
      cwd: folder,
    })
    expect(JSON.parse(cli.stdout)).toEqual({ sessions: 1, events: 2, differences: [] })
    const suites = await script(`
      import { describeSessionStore, describeThroughline, fixedClock } from 'throughline/testing'
      let rules = 0
      const runner = { describe: (name, body) => body(), it: () => { rules++ } }
      describeSessionStore({ name: 'mine', create: async () => ({}) }, runner)
      describeThroughline({ name: 'mine', create: async () => ({}) }, runner)
      console.log(rules > 50 && fixedClock().now() > 0)`)
    expect(suites).toBe('true')
  })

  it('runs the first example of the README as described, in a fresh npm project', async () => {
    const readme = await readFile(join(installed, 'README.md'), 'utf8')
    const [, file = ''] = /Save this as `([^`]+)`/.exec(readme) ?? []
    const [, code = ''] = /<!-- examples\/quickstart.ts -->\n```ts\n([\s\S]*?)```/.exec(readme) ?? []
    const project = join(folder, 'project')
    await mkdir(project)
    await writeFile(join(project, 'package.json'), '{ "name": "project", "type": "commonjs" }')
    await writeFile(join(project, file), code)
    const start = () => run(process.execPath, [file], { cwd: project })
    expect((await start()).stdout.trim().split('\n')).toHaveLength(2)
    expect((await start()).stdout.trim().split('\n')).toHaveLength(4)
  })

  it('exports only the listed paths', async () => {
    const code = `import('throughline/dist/open.js').catch((error) => console.log(error.code))`
    expect(await script(code)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })
})
