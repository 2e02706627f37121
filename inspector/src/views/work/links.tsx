import { TASK_NODE } from '../../domain.ts'
import { oneLine, visible } from '../../parts/visible.ts'
import { eventHref, query, sessionHref, type Values } from '../../route.ts'
import { truncateMiddle } from './node-name.ts'

/** Parts of the work view, in the order of their links. */
export const PARTS = ['overview', 'steps', 'graph', 'commits'] as const
export type Part = (typeof PARTS)[number]

/** A link to a part of this view. */
export const partHref = (id: string, part: Part, values: Values = {}) =>
  sessionHref(id, 'work', { part: part === 'overview' ? undefined : part, ...values })

/** A link to the graph around a node that keeps the current depth, direction and labels. */
export function graphHref(id: string, node: string): string {
  const { depth, direction, labels, as } = Object.fromEntries(query.value)
  return partHref(id, 'graph', { node: node === TASK_NODE ? undefined : node, depth, direction, labels, as })
}

/** A link to an event in the timeline. */
export function EventLink({ id, sequence }: { id: string; sequence: number }) {
  return (
    <a class="mono" href={eventHref(id, sequence)} aria-label={`Event ${sequence}`}>
      #{sequence}
    </a>
  )
}

/** A long name on one line with its middle cut; the tooltip has the full text. */
export function TruncatedText({ text, max }: { text: string; max: number }) {
  return (
    <bdi title={text.length > max ? oneLine(text, 1000) : undefined}>
      {visible(truncateMiddle(text.replace(/\s+/g, ' '), max))}
    </bdi>
  )
}

/** A path, cut in the middle if it is long. */
export function PathCode({ path, max }: { path: string; max: number }) {
  return (
    <code>
      <TruncatedText text={path} max={max} />
    </code>
  )
}

/** The start of a hash; the tooltip has the full one. */
export function ShortHash({ hash }: { hash: string }) {
  return <code title={oneLine(hash, 200)}>{oneLine(hash.slice(0, 10))}</code>
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** `812 B`, `1.4 kB`. */
export function formatBytes(bytes: number): string {
  let rest = bytes
  let unit = 0
  for (; rest >= 1000 && unit < UNITS.length - 1; unit++) rest /= 1000
  return `${unit === 0 ? rest : rest.toFixed(1)} ${UNITS[unit]}`
}
