import { lineWidth } from '../fitted-table.ts'
import type { Output } from '../output.ts'
import { pluralize, sanitizeLine, truncate } from '../text.ts'
import type { TracedEntry } from './lineage.ts'

/** A line of a tree, with those below it. */
export interface Branch {
  text: string
  children?: readonly Branch[]
}

/** The branches, drawn, one a line, cut to the width of a line. */
export function renderTree(branches: readonly Branch[], indent = ''): string[] {
  return branches.flatMap(({ text, children: below = [] }, i) => {
    const isLast = i === branches.length - 1
    const line = truncate(`${indent}${isLast ? '└─' : '├─'} ${text}`, lineWidth())
    return [line, ...renderTree(below, `${indent}${isLast ? '   ' : '│  '}`)]
  })
}

/** What supports and what contradicts a memory, as a tree: entry, session or source, events. */
export function formatLineage(lineage: readonly TracedEntry[], { paint }: Output): string {
  const lines = renderTree(lineage.map(toBranch))
  // painted when it is cut, so that no colour is cut in half
  return lines.map((line) => (/^[├└]─ contradicts/.test(line) ? paint('red', line) : line)).join('\n')
}

function toBranch(entry: TracedEntry): Branch {
  const { relation, at, confidence, sourceType } = entry
  const believed = confidence === undefined ? '' : `, believed ${confidence.toFixed(2)}`
  const how = sourceType === undefined ? '' : `, ${sourceType}`
  return { text: `${relation}, ${at}${how}${believed}`, children: toSourceBranches(entry) }
}

function toSourceBranches({ sessionId, from, to, source, events, more = 0 }: TracedEntry): Branch[] {
  const outside = source === undefined ? [] : [{ text: `source ${sanitizeLine(source)}` }]
  if (sessionId === undefined) return outside
  const rest = more === 0 ? [] : [{ text: `and ${pluralize(more, 'more event')}` }]
  const said = (events ?? []).map(({ sequence, type, content }) => ({
    text: `${sequence} ${type}${content === '' ? '' : `: ${sanitizeLine(content)}`}`,
  }))
  const text = `session ${sessionId}${formatRange(from, to)}${events === undefined ? ', which is gone' : ''}`
  return [{ text, children: [...said, ...rest] }, ...outside]
}

function formatRange(from: number | undefined, to: number | undefined): string {
  if (from === undefined && to === undefined) return ''
  if (from === to) return `, event ${from}`
  return `, events ${from ?? 1} to ${to ?? 'its end'}`
}
