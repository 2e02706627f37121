import type { Difference } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { type DailyUsage, rowKey, type UsageRows } from '../../domain/usage.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { walkLog } from '../kernel/history.ts'

/**
 * Rows of usage that are missing, surplus or wrong. `folded` has those of the events up to `sequence`; the events of a
 * log that grew meanwhile are added to it.
 */
export async function usageDifferences(
  deps: Deps,
  sessionId: string,
  folded: UsageRows,
  sequence: number,
): Promise<Difference[]> {
  for (let last = sequence; ; ) {
    const differences = await compareRows(deps, sessionId, folded.rows)
    if (differences.length === 0) return []
    const before = last
    for await (const page of walkLog(deps, sessionId, { after: last })) {
      for (const event of page) folded.add(event)
      last = page.at(-1)?.sequence ?? last
    }
    if (last === before) return differences
  }
}

async function compareRows(deps: Deps, sessionId: string, expected: readonly DailyUsage[]): Promise<Difference[]> {
  const wanted = new Map(expected.map((row) => [rowKey(row), row]))
  const stored = await storedRows(deps, sessionId)
  return [...new Set([...wanted.keys(), ...stored.keys()])].flatMap((key) => {
    const [want, have] = [wanted.get(key), stored.get(key)]
    if (want !== undefined && have !== undefined && isEqual(want, have)) return []
    return [{ sessionId, field: 'usage', ...(want && { expected: { ...want } }), ...(have && { actual: { ...have } }) }]
  })
}

function isEqual(a: DailyUsage, b: DailyUsage): boolean {
  return Object.keys(a).every((key) => a[key as keyof DailyUsage] === b[key as keyof DailyUsage])
}

async function storedRows(deps: Deps, sessionId: string): Promise<Map<string, DailyUsage>> {
  const rows = new Map<string, DailyUsage>()
  for (let after: DailyUsage | undefined; ; ) {
    const page = await deps.store.usageRows(keyOf(deps, sessionId), defined({ limit: LIMITS.page, after }))
    for (const row of page) rows.set(rowKey(row), row)
    after = page.at(-1)
    if (after === undefined) return rows
  }
}
