import { describeFailure } from '../measure.ts'
import { formatInteger, formatMilliseconds, formatRounded } from '../print.ts'
import type { Results } from '../results.ts'
import { figureOf, type Row, type Table } from '../table.ts'
import { type Bar, drawChart, type Panel } from './chart.ts'

const NAMES: Record<string, string> = { sqlite: 'SQLite', postgres: 'Postgres', memory: 'memory' }

/** The charts by the name of their file. */
export function makeCharts(results: Results): Map<string, string> {
  const found = new Map<string, string>()
  for (const [store, name] of Object.entries(NAMES)) {
    const own = results.tables.filter((table) => table.store === store)
    const appends = own.filter(({ id }) => /^W\d$/.test(id))
    const draw = (file: string, title: string, tables: readonly Results['tables'][number][], panels: Panel[]) => {
      if (panels.length > 0)
        found.set(`bench-${file}-${store}.svg`, drawChart({ title, panels, small: madeBy(results, tables) }))
    }
    draw('append', `Appends per second, ${name}: more is better`, appends, appends.map(panelOf))
    const windows = own.filter(({ id }) => id === 'R1')
    draw('recent', `Milliseconds for the last 30 turns, ${name}: less is better`, windows, windows.flatMap(bySize))
    const sizes = own.filter(({ id }) => id === 'T1')
    draw('size', `Bytes on disk for a message of 500 bytes, ${name}: less is better`, sizes, sizes.map(panelOf))
  }
  return found
}

function panelOf(table: Table): Panel {
  return { title: table.title, bars: table.rows.map((row) => barOf(table, row)) }
}

/** A panel for each length that a peer has reached, and for the longest. */
function bySize(table: Table): Panel[] {
  const sizes = [...new Set(table.rows.map(({ size }) => size))].filter((size) => size !== undefined)
  const shown = [1000, Math.max(...sizes)].filter((size, i, all) => sizes.includes(size) && all.indexOf(size) === i)
  return shown.map((size) => ({
    title: `a log of ${size.toLocaleString('en')} events`,
    bars: table.rows.filter((row) => row.size === size).map((row) => barOf(table, row)),
  }))
}

function barOf(table: Table, row: Row): Bar {
  const value = figureOf(table, row)
  const { name, kind, fails } = row
  if (value === undefined) return { name, kind, text: fails === undefined ? '' : describeFailure(fails).slice(0, 60) }
  const figure =
    table.by === 'rate' ? formatInteger(value) : table.by === 'time' ? formatMilliseconds(value) : formatRounded(value)
  const lost = row.note.split('; ').filter((part) => /\d % /.test(part))
  return { name, kind, value, text: [figure, ...lost].join(', ') }
}

function madeBy({ runs }: Results, tables: readonly Results['tables'][number][]): string {
  const run = runs.find(({ at }) => at === tables[0]?.run)
  return run === undefined ? '' : `${run.at.slice(0, 10)}, ${run.machine}, Node ${run.versions['Node'] ?? ''}`
}
