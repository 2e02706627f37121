import { oneLine } from '../../parts/visible.ts'
import { nameText } from './agent-name.ts'
import type { Lane } from './lanes.ts'
import type { Switch } from './switches.ts'

/** Height of a lane in pixels. */
export const ROW = 34

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: 'numeric', minute: 'numeric' })

/** The label of a tick: a sequence, or a time, with the date where the day changes. */
export function tickLabel(value: number, isByTime: boolean, before: number | undefined): string {
  if (!isByTime) return `#${value.toLocaleString('en')}`
  const isSameDay = before !== undefined && new Date(before).toDateString() === new Date(value).toDateString()
  return (isSameDay ? clock : day).format(value)
}

/** A switch in one sentence. */
export function switchLabel({ kind, sequence, from, to, reason }: Switch): string {
  const why = reason === '' ? '' : `: ${oneLine(reason, 80)}`
  return `${kind} in event ${sequence}, from ${nameText(from, 40)} to ${nameText(to, 40)}${why}`
}

/** The lanes in words, for screen readers. */
export function chartLabel(lanes: readonly Lane[], switches: number): string {
  const said = lanes.slice(0, 12).map(({ agent, events, share }) => {
    const acted = `${events.toLocaleString('en')} event${events === 1 ? '' : 's'}`
    return agent === undefined
      ? `user: ${acted}`
      : `${nameText(agent, 40)}: ${acted}, active for ${Math.round(share * 100)} % of the session`
  })
  const more = lanes.length > 12 ? `; ${lanes.length - 12} more` : ''
  return `${said.join('; ')}${more}. ${switches.toLocaleString('en')} switches, listed below.`
}
