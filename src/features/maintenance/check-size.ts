import type { Difference } from '../../api.ts'
import { bytesOfAll } from '../../domain/event-size.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { walkStored } from '../kernel/history.ts'

/** The stored size of a log, if it is not `bytes` up to `sequence`. Events that were written meanwhile are added. */
export async function sizeDifferences(
  deps: Deps,
  sessionId: string,
  bytes: number,
  sequence: number,
): Promise<Difference[]> {
  let expected = bytes
  for (let last = sequence; ; ) {
    const { head, bytes: actual } = await deps.store.logSize(keyOf(deps, sessionId))
    const before = last
    for await (const page of walkStored(deps, keyOf(deps, sessionId), { after: last, last: head })) {
      expected += bytesOfAll(page)
      last = page.at(-1)?.sequence ?? last
    }
    if (actual === expected) return []
    if (last === before) return [{ sessionId, field: 'bytes', expected, actual }]
  }
}
