import { evaluateGoals } from '../goals.ts'
import { CEILINGS } from '../parts/ceilings.ts'
import { formatRounded } from '../print.ts'
import type { Results, Run } from '../results.ts'
import type { Table } from '../table.ts'
import { type Column, comparisonTable, markdownTable } from './markdown.ts'

const STORES = ['sqlite', 'postgres', 'memory']
const NAMES: Record<string, string> = { sqlite: 'SQLite', postgres: 'Postgres', memory: 'in memory' }

/** The blocks of `docs/performance.md` by name; those not measured are left out. */
export function makeBlocks(results: Results): Map<string, string> {
  const { tables, runs } = results
  const found = new Map<string, string>([
    ['run', runs.map((run) => describeRun(run, results)).join('\n')],
    ['goals', goals(tables)],
    ['context', small(tables, 'X1', 'events in the log', 'p50 ms')],
    ['upkeep', small(tables, 'M1', '', 'seconds per million events')],
    ['ceilings', ceilings(tables)],
    ['start', start(tables)],
  ])
  for (const store of STORES) {
    const line = (id: string) => tables.find((table) => table.id === id && table.store === store)
    const columns = (ids: Record<string, string>): Column[] =>
      Object.entries(ids).flatMap(([id, title]) => {
        const table = line(id)
        return table === undefined ? [] : [{ table, title }]
      })
    const corner = (what: string) => `${NAMES[store]}, ${what}`
    const lines: [string, string, Column[]][] = [
      ['append', 'appends per second', columns(WRITES)],
      ['inside', 'µs within the server', columns(SERVER_TIMES)],
      ['recent', 'p50 ms', sizes(line('R1'))],
      ['calls', 'p50 ms', columns({ R2: 'R2 record and state', C1: 'C1 create', U1: 'U1 update state' })],
      ['list', 'p50 ms', pages(line('L1'))],
      ['size', 'bytes', columns({ T1: 'T1 bytes per event' })],
      ['http', 'requests per second', columns(REQUESTS).map((column) => ({ ...column, latencies: true }))],
      ['envelope', 'reads', columns({ R3: 'one caller, p50 ms', 'R3 × 32': '32 callers, per second' })],
    ]
    for (const [name, what, some] of lines) {
      if (some.length > 0) found.set(`${name}-${store}`, comparisonTable(corner(what), some))
    }
  }
  return new Map([...found].filter(([, text]) => text !== ''))
}

const WRITES = {
  W1: 'W1 one writer',
  W2: 'W2 32 writers, 32 sessions',
  W3: 'W3 32 writers, one session',
  W4: 'W4 8 processes, one session',
}

const SERVER_TIMES = { I1: 'I1 an append', I2: 'I2 an append to each of 32 sessions', I3: 'I3 a new session' }

const REQUESTS = { H1: 'H1 appends', H2: 'H2 windows of 30 turns', H3: 'H3 records' }

function describeRun({ at, command, machine, versions }: Run, { tables }: Results): string {
  const own = [...new Set(tables.filter(({ run }) => run === at).map(({ part }) => part))]
  const told = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `- \`${command}\`, ${at.slice(0, 10)}, on ${machine}: ${own.join(', ')}; ${told.join(', ')}.`
}

function goals(tables: readonly Table[]): string {
  const rows = evaluateGoals(tables).map(({ line, store, goal, figure, met }) => {
    const verdict = met === undefined ? '' : met ? 'met' : '**not met**'
    return [line, NAMES[store] ?? store, goal, figure, verdict]
  })
  return markdownTable(['line', 'store', 'goal', 'measured', ''], rows)
}

function sizes(table: Table | undefined): Column[] {
  if (table === undefined) return []
  const all = [...new Set(table.rows.map(({ size }) => size))].filter((size) => size !== undefined)
  return all.map((size) => ({ table, size, title: `${size.toLocaleString('en')} events` }))
}

function pages(table: Table | undefined): Column[] {
  return ['of a user', 'of everyone'].flatMap((whose) =>
    sizes(table).map(({ table: own, size = 0 }) => ({
      ...{ table: own, size, suffix: `: ${whose}` },
      title: `${whose}, ${size.toLocaleString('en')} sessions`,
    })),
  )
}

/** A table of Throughline alone on several stores. */
function small(tables: readonly Table[], id: string, of: string, unit: string): string {
  const own = tables.filter((table) => table.id === id)
  const [first] = own
  if (first === undefined) return ''
  const rows = first.rows.map(({ name, size }) => [
    size === undefined ? name : size.toLocaleString('en'),
    ...own.map(({ by, rows: some }) => {
      const row = some.find((one) => one.name === name && one.size === size)
      return formatRounded(by === 'time' ? row?.p50 : row?.value)
    }),
  ])
  return markdownTable([of, ...own.map(({ store }) => `${NAMES[store]}, ${unit}`)], rows)
}

function ceilings(tables: readonly Table[]): string {
  const own = tables.filter(({ id }) => id === 'ceilings')
  if (own.length === 0) return ''
  const rows = Object.entries(CEILINGS).map(([name, ms]) => [
    name,
    `${ms}`,
    ...own.map(({ rows: some }) => {
      const row = some.find((one) => one.name === name)
      return `${formatRounded(row?.p50)} / ${formatRounded(row?.p99)}`
    }),
  ])
  return markdownTable(['call', 'ceiling ms', ...own.map(({ store }) => `${NAMES[store]}, p50 / p99 ms`)], rows)
}

function start(tables: readonly Table[]): string {
  const times = tables.filter(({ id }) => id === 'S1')
  const rows = times.flatMap(({ store, rows: some }) =>
    some.map(({ name, value }) => {
      const memory = tables.find((table) => table.id === 'S1 memory' && table.store === store)
      const room = memory?.rows.find((row) => row.name === name)?.value
      return [name === 'Throughline' ? `**${name}**, ${NAMES[store]}` : name, formatRounded(value), formatRounded(room)]
    }),
  )
  return rows.length === 0 ? '' : markdownTable(['opening', 'ms', 'MB'], rows)
}
