import { countTurns } from '../../domain/event.ts'
import type { Json } from '../../domain/json.ts'
import {
  addIncrement,
  addSums,
  type DailyUsage,
  dayOf,
  NO_USAGE,
  type SessionUsage,
  type UsageIncrement,
  UsageRows,
} from '../../domain/usage.ts'
import { sumNumbers } from '../usage-numbers.ts'
import type { PendingAppend } from './append-batch.ts'

/** Rows as the functions take them. */
export function usageJson(rows: readonly DailyUsage[]): string {
  return JSON.stringify(rows.map(rowJson))
}

function rowJson(row: DailyUsage) {
  return { day: row.day, model: row.model, sums: sumNumbers(row) }
}

/** The usage of a decision, as `add_usage` takes it. */
export function decidedUsage({ models, turn }: UsageIncrement, at: string): Json {
  const total = models.reduce(addSums, NO_USAGE)
  const rows = models.map((sums) => rowJson({ ...sums, day: dayOf(at) }))
  return [{ session: 1, total: sumNumbers(total), turn: sumNumbers(turn), rows }]
}

/** The usage of appends to several sessions, as `add_usage` takes it; `undefined` if no event carries any. */
export function appendedUsage(sessions: readonly { items: readonly PendingAppend[] }[]): string | undefined {
  if (!sessions.some(({ items }) => items.some(({ request }) => request.usage !== undefined))) return undefined
  const added = sessions.flatMap(({ items }, i) => {
    let sums: SessionUsage | undefined
    const rows = new UsageRows()
    for (const { request } of items) {
      const { events, usage, at } = request
      if (sums !== undefined && countTurns(events) > 0) sums = { ...sums, turn: NO_USAGE }
      if (usage === undefined) continue
      sums = addIncrement(sums, usage)
      for (const model of usage.models) rows.put(at, model)
    }
    if (sums === undefined) return []
    const { total, turn } = sums
    return [
      `{"session":${i + 1},"total":[${sumNumbers(total)}],"turn":[${sumNumbers(turn)}],"rows":${usageJson(rows.rows)}}`,
    ]
  })
  return `[${added.join(',')}]`
}
