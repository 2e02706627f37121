import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runInProcess } from '../../test/servers/run-cli.ts'
import { open } from '../open/open.ts'
import { pricesFrom } from '../open/prices.ts'

let cwd: string
beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'tl-usage-'))
  const days = ['2026-01-30', '2026-01-31']
  for (const [i, day] of days.entries()) {
    const clock = { now: () => Date.parse(`${day}T10:00:00Z`) }
    const tl = await open({ url: `sqlite:${cwd}/a.db`, index: false, clock })
    const session = await tl.sessions.create({ userId: ['ada', 'bob\u001b[2J'][i] ?? '' })
    const usage = {
      model: 'gpt-5',
      inputTokens: 1_000_000 * (i + 1),
      outputTokens: 50,
      cacheReadTokens: 900,
      costUsd: 0.5,
    }
    await session.append({ type: 'model_message', content: 'Done', usage })
    await tl.close()
  }
})
afterEach(() => rmSync(cwd, { recursive: true, force: true }))

const run = (...args: string[]) =>
  runInProcess(['usage', ...args], cwd, { THROUGHLINE_URL: `sqlite:${cwd}/a.db`, COLUMNS: '100' })

describe('throughline usage', () => {
  it('prints a line per day, and the total', async () => {
    expect((await run()).stdout).toBe(
      [
        'day         calls      input  cache read  cache write  output     cost',
        '2026-01-30      1  1,000,000         900            0      50  $0.5000',
        '2026-01-31      1  2,000,000         900            0      50  $0.5000',
        'total           2  3,000,000       1,800            0     100  $1.0000',
        '',
      ].join('\n'),
    )
  })

  it('prints no cost where none is known', async () => {
    const tl = await open({ url: `sqlite:${cwd}/a.db`, index: false })
    const session = await tl.sessions.create({ userId: 'cy' })
    await session.append({
      type: 'model_message',
      content: 'A',
      usage: { model: 'own', inputTokens: 1, outputTokens: 1 },
    })
    await tl.close()
    expect((await run('--user', 'cy')).stdout).toMatch(/ 1 +0 +0 +1 +-\n$/)
  })

  it('prints the report of what is asked for', async () => {
    const users = (await run('--by', 'user')).stdout.split('\n')
    expect(users.slice(1, 3).map((line) => line.split(' ')[0])).toEqual(['ada', 'bob�[2J'])
    const { items } = JSON.parse((await run('--by', 'model', '--since', '2026-01-31', '--json')).stdout)
    const sums = { messages: 1, inputTokens: 2_000_000, outputTokens: 50, cacheReadTokens: 900, cacheWriteTokens: 0 }
    expect(items).toEqual([{ model: 'gpt-5', ...sums, costUsd: 0.5 }])
    expect((await run('--user', 'nobody')).stdout).toBe('No usage.\n')
    expect((await run('--by', 'tenant', '--until', '2026-01-31')).stdout).toContain('local')
  })

  it('prints what is stored', async () => {
    const { items } = JSON.parse((await run('--storage', '--json')).stdout)
    expect(items).toEqual([{ tenant: 'local', sessions: 2, events: 4, memories: 0, bytes: expect.any(Number) }])
    const bytes = Number(items[0].bytes).toLocaleString('en')
    expect((await run('--storage')).stdout).toBe(
      `tenant  sessions  events  memories  bytes\nlocal          2       4         0  ${bytes}\n`,
    )
    const users = (await run('--storage', '--by', 'user', '--limit', '1')).stdout
    expect(users).toContain('ada')
    expect(users).toContain('Next page: --cursor')
    expect((await run('--storage', '--tenant', 'nobody')).stdout).toBe('Nothing is stored.\n')
  })

  it('goes on where the page ended', async () => {
    const { stdout } = await run('--limit', '1')
    expect(stdout).not.toContain('total')
    const [, cursor = ''] = /Next page: --cursor (\S+)/.exec(stdout) ?? []
    const next = await run('--limit', '1', '--cursor', cursor)
    expect(next.stdout).toContain('2026-01-31')
    expect(next.stdout).not.toContain('2026-01-30')
  })

  it.each([
    ['--by', 'week', 'by: must be one of day, user, tenant, model'],
    ['--since', 'soon', 'since: must be an age'],
    ['--limit', '0', 'limit: must be a whole number'],
    ['--cursor', 'x', 'cursor: must be the nextCursor'],
    ['--storage', '--by=day', 'by: must be one of tenant, user with --storage'],
    ['--storage', '--since=7d', 'since: is not for --storage'],
  ])('refuses %s %s', async (option, value, message) => {
    const { code, stderr } = await run(option, value)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
  })
})

describe('prices from a file', () => {
  const file = (content: string) => {
    const path = join(cwd, 'prices.json')
    writeFileSync(path, content)
    return path
  }

  it('are those of the file', async () => {
    const prices = { 'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 } }
    expect(await pricesFrom(file(JSON.stringify(prices)))).toEqual(prices)
    expect(await pricesFrom()).toBeUndefined()
  })

  it.each([
    ['{', 'prices', 'must be a file of JSON'],
    ['[]', 'prices', ''],
    ['{"m": {"input": 1}}', 'prices.m.output', ''],
    ['{"m": {"input": -1, "output": 1}}', 'prices.m.input', ''],
    ['{"m": {"input": 1, "output": 1, "cached": 1}}', 'prices.m.cached', 'is not a known field'],
  ])('are refused as %s by the name of the field', async (content, field, message) => {
    const refused = expect(pricesFrom(file(content))).rejects
    await refused.toMatchObject({ code: 'VALIDATION', field, message: expect.stringContaining(message) })
  })

  it('are missed by the name of the option or the setting', async () => {
    await expect(pricesFrom(join(cwd, 'none.json'))).rejects.toMatchObject({ field: 'prices' })
    const env = { THROUGHLINE_PRICES: join(cwd, 'none.json'), THROUGHLINE_URL: 'memory:' }
    const { code, stderr } = await runInProcess(['serve', '--port', '0'], cwd, env)
    expect(code).toBe(2)
    expect(stderr).toContain('THROUGHLINE_PRICES: cannot be read')
    const named = await runInProcess(['serve', '--port', '0', '--prices', 'none.json'], cwd, {
      THROUGHLINE_URL: 'memory:',
    })
    expect(named.stderr).toContain('prices: cannot be read')
  })
})
