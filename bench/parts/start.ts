import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Part } from '../part.ts'
import { median, type Row } from '../table.ts'
import type { Workspace } from '../workspace.ts'

const program = fileURLToPath(new URL('../start/open.mjs', import.meta.url))

interface Started {
  ms: number
  bytes: number
}

/** S1: the cost of `open()` beyond an empty Node process, including loading the code. */
export const START: Part = {
  name: 'start',
  stores: ['memory', 'sqlite'],
  async *run({ store, quick, places }) {
    const rounds = quick ? 3 : 15
    const who = WHO[store === 'sqlite' ? 'sqlite' : 'memory']
    const empty: Started[] = []
    const found = new Map<string, Started[]>(who.map(({ name }) => [name, []]))
    for (let round = 0; round <= rounds; round++) {
      const nothing = started('nothing', '')
      if (round > 0) empty.push(nothing)
      for (const { name, what, target } of who) {
        const one = started(what, target(places))
        if (round > 0) found.get(name)?.push(one)
      }
    }
    await places.clear()
    const rows = (of: (one: Started) => number): Row[] =>
      who.map(({ name, kind, base }) => ({
        name,
        kind,
        ...(base !== undefined && { base }),
        value: (median(found.get(name)?.map(of) ?? []) ?? 0) - (median(empty.map(of)) ?? 0),
        note: '',
      }))
    const title = 'cold open() beyond an empty Node process'
    yield { id: 'S1', title: `${title}: time`, by: 'value', unit: 'ms', rows: rows(({ ms }) => ms) }
    yield {
      id: 'S1 memory',
      title: `${title}: memory`,
      by: 'value',
      unit: 'MB',
      rows: rows(({ bytes }) => bytes / 1_000_000),
    }
  },
}

const file = (places: Workspace) => places.file()

const WHO = {
  memory: [{ name: 'Throughline', kind: 'throughline', what: 'throughline', target: () => 'memory:', base: undefined }],
  sqlite: [
    { name: 'better-sqlite3', kind: 'raw', what: 'better-sqlite3', target: file, base: undefined },
    {
      name: 'Throughline',
      kind: 'throughline',
      what: 'throughline',
      target: (places: Workspace) => `sqlite:${file(places)}`,
      base: 'better-sqlite3',
    },
  ],
} as const

function started(what: string, target: string): Started {
  return JSON.parse(execFileSync(process.execPath, [program, what, target], { encoding: 'utf8' })) as Started
}
