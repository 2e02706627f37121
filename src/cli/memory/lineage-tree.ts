import { lineWidth } from '../line-width.ts'
import type { Output } from '../output.ts'
import { pluralize, sanitizeLine, truncate } from '../text.ts'
import type { TracedEntry } from './lineage.ts'

/** A line of a tree with its children. */
export interface Branch {
  text: string
  children?: readonly Branch[]
}

/** Draws a tree, one branch per line, cut to the line width. */
export function renderTree(branches: readonly Branch[], indent = ''): string[] {
  return branches.flatMap(({ text, children: below = [] }, i) => {
    const isLast = i === branches.length - 1
    const line = truncate(`${indent}${isLast ? '└─' : '├─'} ${text}`, lineWidth())
    return [line, ...renderTree(below, `${indent}${isLast ? '   ' : '│  '}`)]
  })
}

/** Formats the lineage of a memory as a tree: entry, session or source, events. */
export function formatLineage(lineage: readonly TracedEntry[], { paint }: Output): string {
  const lines = renderTree(lineage.map(toBranch))
  // colored after cutting, so that no color code is cut
  return lines.map((line) => (/^[├└]─ contradicts/.test(line) ? paint('red', line) : line)).join('\n')
}

function toBranch(entry: TracedEntry): Branch {
  const { relation, at, confidence, sourceType } = entry
  const believed = confidence === undefined ? '' : `, confidence ${confidence.toFixed(2)}`
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
  const text = `session ${sessionId}${formatRange(from, to)}${events === undefined ? ' (deleted)' : ''}`
  return [{ text, children: [...said, ...rest] }, ...outside]
}

function formatRange(from: number | undefined, to: number | undefined): string {
  if (from === undefined && to === undefined) return ''
  if (from === to) return `, event ${from}`
  return `, events ${from ?? 1} to ${to ?? 'the end'}`
}
