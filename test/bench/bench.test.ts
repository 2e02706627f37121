import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { evaluateGoals } from '../../bench/goals.ts'
import { message } from '../../bench/load.ts'
import { describeLosses, lossesOf, markOf } from '../../bench/losses.ts'
import { measureInTurns } from '../../bench/measure.ts'
import { makeBlocks } from '../../bench/report/blocks.ts'
import { drawChart } from '../../bench/report/chart.ts'
import { fillBlocks } from '../../bench/report.ts'
import { mergeResults, type Results, type Run } from '../../bench/results.ts'
import { median, quantile, type Row, ratioOf, type Table } from '../../bench/table.ts'

const run: Run = {
  at: '2026-01-02T03:04:05.000Z',
  command: 'npm run bench',
  machine: 'a machine',
  versions: {},
}

function tableOf(id: string, store: string, rows: readonly Partial<Row>[], by: Table['by'] = 'rate'): Table {
  const full = rows.map((row): Row => ({ name: '', kind: 'raw', note: '', ...row }))
  return { id, part: 'append', store, title: id, by, rows: full }
}

const appends = (perSecond: number, note = 'nothing lost') =>
  tableOf('W3', 'sqlite', [
    { name: 'better-sqlite3, FULL', perSecond: 1000, base: 'better-sqlite3, FULL' },
    { name: 'Throughline, full', kind: 'throughline', perSecond, base: 'better-sqlite3, FULL', note },
    { name: 'Some store', kind: 'peer', perSecond: 2000, note: '97 % lost; Answers before fsync' },
  ])

const outcomeOf = (table: Table, line = table.id) =>
  evaluateGoals([table]).find((outcome) => outcome.line === line && outcome.store === table.store)

describe('the figures of the benchmark', () => {
  it('takes medians and quantiles', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(quantile([1, 2, 3, 4], 0.99)).toBe(4)
    expect(median([])).toBeUndefined()
  })

  it('compares a row with its base, by rate or by time', () => {
    const table = appends(9000)
    expect(table.rows.map((row) => ratioOf(table, row))).toEqual([1, 9, undefined])
    const times = tableOf('R1', 'sqlite', [
      { name: 'raw', size: 1000, p50: 2, base: 'raw, 1,000' },
      { name: 'ours', size: 1000, p50: 3, base: 'raw, 1,000' },
    ])
    expect(ratioOf({ ...times, by: 'time' }, times.rows[1] as Row)).toBe(1.5)
  })

  it('judges a goal by its ratio and its losses', () => {
    expect(outcomeOf(appends(9000))).toMatchObject({ met: true, figure: '× 9.00, nothing lost' })
    expect(outcomeOf(appends(5000))).toMatchObject({ met: false })
    expect(outcomeOf(appends(9000, '1 % lost'))).toMatchObject({ met: false })
    expect(evaluateGoals([]).every(({ met }) => met === undefined)).toBe(true)
  })

  it('compares a peer that does not wait for the disk with Throughline in the same mode', () => {
    const table = appends(1500)
    expect(outcomeOf(table, 'all')).toMatchObject({ met: false, figure: 'behind in 1: W3 Some store' })
    const relaxed: Row = { name: 'Throughline, relaxed', kind: 'throughline', perSecond: 3000, note: '' }
    expect(outcomeOf({ ...table, rows: [...table.rows, relaxed] }, 'all')).toMatchObject({ met: true })
  })

  it('compares in-process messages with memorySession() where it has the call, within the resolution of the clock', () => {
    const created = (small: Partial<Row>) =>
      tableOf(
        'C1',
        'memory',
        [
          { name: 'Throughline', kind: 'throughline', p50: 0.02 },
          { name: 'Throughline, memorySession()', kind: 'throughline', ...small },
          { name: 'Some session', kind: 'peer', p50: 0.001 },
        ],
        'time',
      )
    const met = (small: Partial<Row>) => outcomeOf(created(small), 'all')?.met
    expect([met({ p50: 0.0014 }), met({ p50: 0.0016 }), met({ fails: 'has none' })]).toEqual([true, false, false])
  })

  it('marks each message without changing its length', () => {
    expect(message(0, markOf(31, 12_345)).content).toHaveLength(message(0).content.length)
  })

  it('counts lost, duplicated and disordered messages for each writer', () => {
    const kept = [markOf(0, 0), markOf(1, 1), markOf(1, 0), markOf(0, 2), markOf(0, 2), 'something else']
    const acknowledged = new Map([
      [0, 4],
      [1, 2],
    ])
    const losses = lossesOf(acknowledged, kept)
    expect(losses).toEqual({ acknowledged: 6, lost: 2, doubled: 1, disordered: 1 })
    expect(describeLosses(losses)).toBe('33 % lost, 17 % doubled, 17 % out of order')
    expect(describeLosses(lossesOf(new Map([[1, 2]]), [markOf(1, 0), markOf(1, 1)]))).toBe('nothing lost')
  })

  it('continues when one competitor fails', async () => {
    const timed = { operations: 10, seconds: 2, latencies: [1, 2, 3] }
    const [good, bad] = await measureInTurns(
      [
        { name: 'good', kind: 'raw', round: async () => timed, close: async () => {} },
        { name: 'bad', kind: 'peer', round: () => Promise.reject(new Error('no\nstack')), close: async () => {} },
      ],
      2,
    )
    expect(good).toMatchObject({ perSecond: 5, p50: 2, p99: 3 })
    expect(bad).toEqual({ name: 'bad', kind: 'peer', fails: 'no', note: '' })
  })

  it('keeps tables of other parts, with the run that made them', () => {
    const first: Results = mergeResults({ runs: [], tables: [] }, run, [appends(1), tableOf('W1', 'sqlite', [])])
    const later = { ...run, at: '2026-02-02T00:00:00.000Z' }
    const both = mergeResults(first, later, [appends(2)])
    expect(both.tables.map(({ id, run: at }) => [id, at])).toEqual([
      ['W1', run.at],
      ['W3', later.at],
    ])
    expect(mergeResults(both, later, [tableOf('W1', 'sqlite', [])]).runs).toEqual([later])
  })

  it('fills the marked blocks of a page, and leaves those without figures', () => {
    const found = makeBlocks({ runs: [run], tables: [{ ...appends(9000), run: run.at }] })
    const page =
      'a\n<!-- bench:append-sqlite -->\nold\n<!-- /bench:append-sqlite -->\n<!-- bench:x -->\nb\n<!-- /bench:x -->'
    const text = fillBlocks(page, found)
    expect(text).toContain('| **Throughline, full** | 9,000 (× 9.00) |  |')
    expect(text).toContain('| Some store | 2,000, 97 % lost | Answers before fsync |')
    expect(text).toContain('<!-- bench:x -->\nb\n<!-- /bench:x -->')
    expect(text).not.toContain('old')
  })

  it('draws bars, the longest over the full width, and says why one is missing', () => {
    const bars = [
      { name: 'a <b>', kind: 'raw' as const, value: 1, text: '1' },
      { name: 'c', kind: 'peer' as const, text: 'fails' },
      { name: 'd', kind: 'throughline' as const, value: 1000, text: '1,000' },
    ]
    const svg = drawChart({ title: 'Title', panels: [{ title: 'P', bars }], small: 'a machine' })
    expect(svg).toContain('a &lt;b&gt;')
    expect(svg).toContain('P, powers of ten')
    expect([...svg.matchAll(/<rect/g)]).toHaveLength(2)
    expect(svg).toContain('width="360.0"')
  })
})

describe('a run of the benchmark', () => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  async function bench(...args: string[]): Promise<{ stdout: string; results: Results }> {
    const results = join(folder, `${args.join('-')}.json`)
    const program = join(import.meta.dirname, '../../bench/run.ts')
    const all = [program, ...args, '--quick', '--no-peers', '--results', results]
    const { stdout } = await promisify(execFile)(process.execPath, all)
    return { stdout, results: JSON.parse(readFileSync(results, 'utf8')) as Results }
  }

  it('measures appends in memory, loses nothing and names what it compared', async () => {
    const { stdout, results } = await bench('append', '--store', 'memory')
    expect(stdout).toContain('Goals')
    expect(results.tables.map(({ id }) => id)).toEqual(['W1', 'W2', 'W3'])
    for (const { rows } of results.tables) {
      expect(rows.map(({ name, note }) => [name, note])).toEqual([
        ['array of JSON strings', 'nothing lost'],
        ['Throughline', 'nothing lost'],
        ['Throughline, memorySession()', 'nothing lost'],
      ])
    }
    expect(results.runs[0]?.versions).toHaveProperty('better-sqlite3')
  })

  it('measures the size of events on SQLite', async () => {
    const { results } = await bench('size', '--store', 'sqlite')
    const rows = results.tables[0]?.rows ?? []
    expect(rows.map(({ name }) => name)).toEqual([
      'better-sqlite3, FULL',
      'Throughline, full',
      'Throughline, full, with the index of words',
    ])
    expect(rows.every(({ value = 0 }) => value > 500 && value < 5000)).toBe(true)
  })

  it('refuses an unknown part', async () => {
    await expect(bench('nothing')).rejects.toMatchObject({ code: 2 })
  })
})

describe('a comparison of two builds', () => {
  const folder = join(import.meta.dirname, '../../')
  const compare = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(folder, 'bench/builds.ts'), ...args])

  it('measures both in turns', async () => {
    const { stdout } = await compare(
      ...['--against', join(folder, 'dist'), '--store', 'sqlite', '--lines', 'R2', '--rounds', '1'],
    )
    expect(stdout).toMatch(
      /^sqlite R2 record and state: \d+\.\d\d by rate \(\d+ → \d+\/s\), \d+\.\d\d by CPU time \([\d.]+ → [\d.]+ µs\)\n$/,
    )
  })

  it('names the line that it does not know', async () => {
    await expect(compare('--against', folder, '--lines', 'X9')).rejects.toMatchObject({
      code: 2,
      stderr: 'There is no line X9.\n',
    })
  })
})
