import { getEvents } from '../../api/client.ts'
import { CHANGE_TYPES, type ChangeKind, changeKinds, eventTypes } from './changes.ts'

/** Events per request, and most requests: transitions without a context are skipped. */
const SCAN = { page: 20, reads: 25 }

/** Asks the server for the last change of a kind at or before an event, for changes older than the loaded ones. */
export async function findLastChange(
  id: string,
  sequence: number,
  kind: ChangeKind | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  let before = sequence + 1
  const types = kind === undefined ? CHANGE_TYPES : eventTypes(kind)
  for (let read = 0; read < SCAN.reads; read++) {
    const query = { types, before, order: 'desc', limit: SCAN.page }
    const items = await getEvents(id, query, signal)
    const found = items.find((event) => kind === undefined || changeKinds(event).includes(kind))
    const last = items.at(-1)
    if (found !== undefined || last === undefined) return found?.sequence
    before = last.sequence
  }
  return undefined
}

/** Asks the server for the first change of any kind after an event. */
export async function findNextChange(id: string, after: number, signal: AbortSignal): Promise<number | undefined> {
  const [event] = await getEvents(id, { types: CHANGE_TYPES, after, limit: 1 }, signal)
  return event?.sequence
}
