import { SESSION_STATES, type SessionRecord } from '../../domain/record.ts'
import { ageOf, agoOf } from '../age.ts'
import { type FittedTable, fitted, type SpareColumn } from '../fitted-table.ts'
import { lineWidth } from '../line-width.ts'
import type { Output } from '../output.ts'
import { STATE_STYLE } from './state-style.ts'

/** Below this many columns a session takes two lines: an id has 36. */
const NARROW = 76
/** From here on there is room for ages in words. */
const WORDS = 100
const LONGEST_STATE = Math.max(...SESSION_STATES.map((state) => state.length))
const LONGEST_AGE = '59 min ago'.length
/** Columns that names take at most, and that most counts take at most. */
const NAME = 16
const COUNT = '99999'.length

/**
 * Sessions for people, one a line, or two where there is no room. Ids are always whole, to be copied. `more`: others may follow that are not
 * known yet.
 */
export function sessionsTable(
  records: readonly SessionRecord[],
  { now, more, paint }: { now: number; more: boolean } & Pick<Output, 'paint'>,
): FittedTable<SessionRecord> {
  const age = lineWidth() < WORDS ? ageOf : agoOf
  const id: SpareColumn<SessionRecord> = { title: 'session', value: (record) => record.id }
  const task = { title: 'task', value: (record: SessionRecord) => record.task ?? '' }
  if (lineWidth() < NARROW) {
    const value = (record: SessionRecord) => narrowText(record, now)
    return fitted(records, [id], { value, paint: (text, record) => paint(STATE_STYLE[record.status.state], text) })
  }
  return fitted(
    records,
    [
      id,
      {
        title: 'state',
        value: ({ status }) => status.state,
        paint: (text, { status }) => paint(STATE_STYLE[status.state], text),
        least: more ? LONGEST_STATE : 0,
      },
      { title: 'agent', value: ({ activeAgent }) => activeAgent, width: NAME, least: more ? NAME : 0, spare: 5 },
      { title: 'turns', value: ({ turns }) => String(turns), align: 'right', least: more ? COUNT : 0, spare: 2 },
      { title: 'events', value: ({ head }) => String(head), align: 'right', least: more ? COUNT + 1 : 0, spare: 3 },
      {
        title: 'last',
        value: ({ lastActivityAt }) => age(lastActivityAt, now),
        least: more && age === agoOf ? LONGEST_AGE : 0,
        spare: 1,
      },
      { title: 'user', value: ({ userId }) => userId, width: NAME, least: more ? NAME : 0, spare: 4 },
    ],
    task,
  )
}

function narrowText({ status, lastActivityAt, turns, task }: SessionRecord, now: number): string {
  const facts = [status.state, agoOf(lastActivityAt, now), turns === 1 ? '1 turn' : `${turns} turns`, task]
  return facts.filter((fact) => fact !== undefined).join(', ')
}
