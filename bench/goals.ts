import { answersBeforeFsync, MEMORY_SESSION } from './lineup.ts'
import { CEILINGS } from './parts/ceilings.ts'
import { figureOf, labelOf, type Row, type Table } from './table.ts'

/** A goal for a line, and the measured figure. `met` is absent if it was not measured. */
export interface GoalResult {
  line: string
  store: string
  goal: string
  figure: string
  met?: boolean
}

interface Goal extends Pick<GoalResult, 'line' | 'store' | 'goal'> {
  judge(tables: readonly Table[]): Pick<GoalResult, 'figure' | 'met'> | undefined
}

const OURS: Record<string, string> = { sqlite: 'Throughline, full', postgres: 'Throughline', memory: 'Throughline' }
const RELAXED = 'Throughline, relaxed'
const RAW: Record<string, string> = { sqlite: 'better-sqlite3, FULL', postgres: 'pg', memory: 'array of JSON strings' }

const times = (ratio: number) => `× ${ratio.toFixed(2)}`

function find(tables: readonly Table[], line: string, store: string): Table | undefined {
  return tables.find((table) => table.id === line && table.store === store)
}

function figure(table: Table | undefined, label: string): number | undefined {
  const row = table?.rows.find((one) => labelOf(one) === label)
  return table && row && figureOf(table, row)
}

function ratio(table: Table | undefined, label: string, base: string): number | undefined {
  const own = figure(table, label)
  const other = figure(table, base)
  return own === undefined || other === undefined ? undefined : own / other
}

/** A rate of at least this factor of another, without losses if required. */
function atLeast(line: string, store: string, factor: number, base = RAW[store] ?? '', unlost = false): Goal {
  const own = OURS[store] ?? ''
  return {
    ...{ line, store, goal: `≥ ${factor} × ${base}${unlost ? ', nothing lost' : ''}` },
    judge(tables) {
      const table = find(tables, line, store)
      const found = ratio(table, own, base)
      if (found === undefined) return
      const note = table?.rows.find(({ name }) => name === own)?.note ?? ''
      return {
        figure: unlost ? `${times(found)}, ${note}` : times(found),
        met: found >= factor && (!unlost || note.startsWith('nothing lost')),
      }
    },
  }
}

/** A time or size of at most this factor of another. */
function atMost(line: string, store: string, factor: number, base = RAW[store] ?? '', own = OURS[store] ?? ''): Goal {
  return {
    ...{ line, store, goal: `≤ ${factor} × ${base}` },
    judge(tables) {
      const found = ratio(find(tables, line, store), own, base)
      return found === undefined ? undefined : { figure: times(found), met: found <= factor }
    },
  }
}

/** At every size that was measured. */
function atMostAtAnySize(line: string, store: string, factor: number): Goal {
  return {
    ...{ line, store, goal: `≤ ${factor} × ${RAW[store]} at every length` },
    judge(tables) {
      const table = find(tables, line, store)
      const ratios = (table?.rows ?? [])
        .filter(({ name }) => name === OURS[store])
        .map((row) => ratio(table, labelOf(row), labelOf({ ...row, name: RAW[store] ?? '' })))
        .filter((found) => found !== undefined)
      if (ratios.length === 0) return
      const worst = Math.max(...ratios)
      return { figure: `${times(worst)} at worst`, met: worst <= factor }
    },
  }
}

/** The largest size costs at most this factor of the smallest. */
function flat(line: string, store: string, factor: number, name: string): Goal {
  return {
    ...{ line, store, goal: `${name}: the most against the least ≤ ${factor}` },
    judge(tables) {
      const table = find(tables, line, store)
      const rows = (table?.rows ?? []).filter((row) => row.name === name && row.size !== undefined)
      const sizes = rows.map((row) => row.size ?? 0)
      const label = (size: number) => labelOf({ name, size })
      const found = ratio(table, label(Math.max(...sizes)), label(Math.min(...sizes)))
      return found === undefined ? undefined : { figure: times(found), met: found <= factor }
    },
  }
}

function below(line: string, store: string, most: number, unit: string): Goal {
  return {
    ...{ line, store, goal: `< ${most} ${unit}` },
    judge(tables) {
      const found = figure(find(tables, line, store), 'Throughline')
      return found === undefined ? undefined : { figure: `${found.toFixed(0)} ${unit}`, met: found < most }
    },
  }
}

/** A share of at least this many per cent, in the first column or in another. */
function reaches(line: string, label: string, percent: number, column?: string): Goal {
  const store = 'sqlite'
  return {
    ...{ line, store, goal: `${[label, column].filter((text) => text !== undefined).join(', ')} ≥ ${percent} %` },
    judge(tables) {
      const row = find(tables, line, store)?.rows.find(({ name }) => name === label)
      const found = column === undefined ? row?.value : row?.columns?.[column]
      return found === undefined ? undefined : { figure: `${found.toFixed(1)} %`, met: found >= percent }
    },
  }
}

/** Every repeated call takes less than this, by its median. */
function repeatedBelow(line: string, store: string, ms: number): Goal {
  return {
    ...{ line, store, goal: `repeated < ${ms} ms` },
    judge(tables) {
      const rows = find(tables, line, store)?.rows.filter(({ name }) => name.endsWith('repeated')) ?? []
      if (rows.length === 0) return
      const worst = Math.max(...rows.map(({ p50 = 0 }) => p50))
      return { figure: `${worst.toFixed(1)} ms at worst`, met: worst < ms }
    },
  }
}

function ceilings(store: string): Goal {
  const calls = Object.entries(CEILINGS)
  return {
    ...{
      line: 'ceilings',
      store,
      goal: `p99 under load: ${calls.map(([name, ms]) => `${name} ≤ ${ms} ms`).join(', ')}`,
    },
    judge(tables) {
      const rows = find(tables, 'ceilings', store)?.rows
      if (rows === undefined) return
      const over = calls.filter(([name, ms]) => (rows.find((row) => row.name === name)?.p99 ?? Infinity) > ms)
      return { figure: rows.map(({ name, p99 }) => `${name} ${p99?.toFixed(1)}`).join(', '), met: over.length === 0 }
    },
  }
}

/** Lines that peers take part in. */
const SHARED = ['W1', 'W2', 'W3', 'W4', 'R1', 'R2', 'C1', 'U1', 'L1', 'T1']

/**
 * Compares a peer with the same kind of store: one that answers before fsync with Throughline in the same mode, and
 * in-process messages with `memorySession()`, where it has the call.
 */
function aheadOfPeers(store: string): Goal {
  return {
    ...{ line: 'all', store, goal: 'ahead of every peer on every line' },
    judge(tables) {
      const shared = tables.filter((table) => table.store === store && SHARED.includes(table.id))
      const peers = shared.flatMap((table) =>
        table.rows.filter(({ kind }) => kind === 'peer').map((row) => ({ table, row })),
      )
      const measured = peers.filter(({ table, row }) => figureOf(table, row) !== undefined)
      if (measured.length === 0) return
      const behind = measured.filter(({ table, row }) => !isAhead(table, row, OURS[store] ?? ''))
      const told = behind.map(({ table, row }) => `${table.id} ${labelOf(row)}`).join('; ')
      return {
        figure: behind.length === 0 ? `ahead in all ${measured.length}` : `behind in ${behind.length}: ${told}`,
        met: behind.length === 0,
      }
    },
  }
}

/** Half a microsecond, in milliseconds: reading the clock before and after takes about as long. */
const CLOCK = 0.0005

function isAhead(table: Table, peer: Row, own: string): boolean {
  const part = /: .*$/.exec(peer.name)?.[0] ?? ''
  const named = (name: string) => figure(table, labelOf({ ...peer, name: `${name}${part}` }))
  const like = answersBeforeFsync(peer.note) ? named(RELAXED) : named(MEMORY_SESSION)
  const ours = like ?? named(own) ?? Number.NaN
  const theirs = figureOf(table, peer) ?? Number.NaN
  return table.by === 'rate' ? ours >= theirs : ours <= theirs + (table.by === 'time' ? CLOCK : 0)
}

/** Allowed noise where the cost depends on the page and not on the total. */
const BY_THE_PAGE = 1.5

/** Every goal, once. */
export const GOALS: readonly Goal[] = [
  atLeast('W1', 'sqlite', 0.85),
  atLeast('W1', 'postgres', 0.9),
  atLeast('W1', 'memory', 0.6),
  atLeast('W2', 'sqlite', 4),
  atLeast('W2', 'postgres', 2.5),
  atLeast('W2', 'postgres', 1.2, 'pgbench'),
  atLeast('W3', 'sqlite', 6, undefined, true),
  atLeast('W3', 'postgres', 8, undefined, true),
  atLeast('W4', 'sqlite', 1.5, undefined, true),
  atLeast('W4', 'postgres', 1, 'pgbench', true),
  atMostAtAnySize('R1', 'sqlite', 1.5),
  atMostAtAnySize('R1', 'postgres', 1.5),
  flat('R1', 'sqlite', 1.2, 'Throughline, full'),
  flat('R1', 'postgres', 1.2, 'Throughline'),
  atMost('R2', 'sqlite', 2),
  atMost('R2', 'postgres', 1.2),
  atMost('R3', 'postgres', 1.3, 'ioredis GET', 'Throughline, cache'),
  atMost('T1', 'sqlite', 1.15),
  atMost('T1', 'postgres', 1.15),
  ...['sqlite', 'memory'].flatMap((store) => [below('S1', store, 60, 'ms'), below('S1 memory', store, 25, 'MB')]),
  ...['sqlite', 'postgres'].flatMap((store) => [
    flat('L1', store, BY_THE_PAGE, `${OURS[store]}: of a user`),
    flat('L1', store, BY_THE_PAGE, `${OURS[store]}: of everyone`),
    flat('X1', store, BY_THE_PAGE, 'Throughline'),
    repeatedBelow('X6', store, 10),
    ceilings(store),
  ]),
  ...['transcripts', 'synthetic'].flatMap((set) => [
    ...['2k', '8k', '32k', '128k'].flatMap((budget) => [
      reaches(`X2 ${set}`, `${budget}, every call`, 85),
      reaches(`X2 ${set}`, `${budget}, every call`, 85, 'worst tenth'),
    ]),
    reaches(`X3 ${set}`, '32k', 90),
  ]),
  ...['sqlite', 'postgres', 'memory'].map(aheadOfPeers),
]

export function evaluateGoals(tables: readonly Table[]): GoalResult[] {
  return GOALS.map(({ line, store, goal, judge }) => ({
    line,
    store,
    goal,
    ...(judge(tables) ?? { figure: 'not measured' }),
  }))
}
