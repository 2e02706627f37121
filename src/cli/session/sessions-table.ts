import { SESSION_STATES, type SessionRecord } from '../../domain/record.ts'
import { type FittedTable, fitTable, type OptionalColumn } from '../fitted-table.ts'
import { lineWidth } from '../line-width.ts'
import type { Output } from '../output.ts'
import { formatAge, formatTimeAgo } from '../time-format.ts'
import { STATE_STYLE } from './state-style.ts'

/** On narrower lines a session takes two lines: an id has 36 columns. */
const MIN_TABLE_WIDTH = 76
const MIN_WIDTH_FOR_WORDS = 100
const LONGEST_STATE = Math.max(...SESSION_STATES.map((state) => state.length))
const LONGEST_AGE = '59 min ago'.length
const NAME_WIDTH = 16
const COUNT_WIDTH = '99999'.length

/**
 * Lays out a table of sessions with one line each, or two on narrow terminals. Never cuts ids. `more`: unknown rows may
 * follow.
 */
export function layoutSessions(
  records: readonly SessionRecord[],
  { now, more, paint }: { now: number; more: boolean } & Pick<Output, 'paint'>,
): FittedTable<SessionRecord> {
  const age = lineWidth() < MIN_WIDTH_FOR_WORDS ? formatAge : formatTimeAgo
  const id: OptionalColumn<SessionRecord> = { title: 'session', value: (record) => record.id }
  const task = { title: 'task', value: (record: SessionRecord) => record.task ?? '' }
  if (lineWidth() < MIN_TABLE_WIDTH) {
    const value = (record: SessionRecord) => narrowText(record, now)
    return fitTable(records, [id], { value, paint: (text, record) => paint(STATE_STYLE[record.status.state], text) })
  }
  return fitTable(
    records,
    [
      id,
      {
        title: 'state',
        value: stateOf,
        paint: (text, { status }) => paint(STATE_STYLE[status.state], text),
        minWidth: more ? LONGEST_STATE : 0,
      },
      {
        title: 'agent',
        value: ({ activeAgent }) => activeAgent,
        maxWidth: NAME_WIDTH,
        minWidth: more ? NAME_WIDTH : 0,
        dropOrder: 5,
      },
      {
        title: 'turns',
        value: ({ turns }) => String(turns),
        align: 'right',
        minWidth: more ? COUNT_WIDTH : 0,
        dropOrder: 2,
      },
      {
        title: 'events',
        value: ({ head }) => String(head),
        align: 'right',
        minWidth: more ? COUNT_WIDTH + 1 : 0,
        dropOrder: 3,
      },
      {
        title: 'active',
        value: ({ lastActivityAt }) => age(lastActivityAt, now),
        minWidth: more && age === formatTimeAgo ? LONGEST_AGE : 0,
        dropOrder: 1,
      },
      {
        title: 'user',
        value: ({ userId }) => userId,
        maxWidth: NAME_WIDTH,
        minWidth: more ? NAME_WIDTH : 0,
        dropOrder: 4,
      },
    ],
    task,
  )
}

/** The state; a session with a live run is marked. */
function stateOf({ status, run }: SessionRecord): string {
  return run === undefined ? status.state : `${status.state} *`
}

function narrowText(record: SessionRecord, now: number): string {
  const { lastActivityAt, turns, task } = record
  const facts = [stateOf(record), formatTimeAgo(lastActivityAt, now), turns === 1 ? '1 turn' : `${turns} turns`, task]
  return facts.filter((fact) => fact !== undefined).join(', ')
}
