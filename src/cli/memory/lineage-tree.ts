import { lineWidth } from '../fitted-table.ts'
import type { Output } from '../output.ts'
import { clipped, counted, printable } from '../text.ts'
import type { Traced } from './lineage.ts'

/** A line of a tree, with those below it. */
export interface Branch {
  text: string
  below?: readonly Branch[]
}

/** The branches, drawn, one a line, cut to the width of a line. */
export function treeText(branches: readonly Branch[], indent = ''): string[] {
  return branches.flatMap(({ text, below = [] }, i) => {
    const isLast = i === branches.length - 1
    const line = clipped(`${indent}${isLast ? '└─' : '├─'} ${text}`, lineWidth())
    return [line, ...treeText(below, `${indent}${isLast ? '   ' : '│  '}`)]
  })
}

/** What supports and what contradicts a memory, as a tree: entry, session or source, events. */
export function lineageText(lineage: readonly Traced[], { paint }: Output): string {
  const lines = treeText(lineage.map(branchOf))
  // painted when it is cut, so that no colour is cut in half
  return lines.map((line) => (/^[├└]─ contradicts/.test(line) ? paint('red', line) : line)).join('\n')
}

function branchOf(entry: Traced): Branch {
  const { relation, at, confidence, sourceType } = entry
  const believed = confidence === undefined ? '' : `, believed ${confidence.toFixed(2)}`
  const how = sourceType === undefined ? '' : `, ${sourceType}`
  return { text: `${relation}, ${at}${how}${believed}`, below: placesOf(entry) }
}

function placesOf({ sessionId, from, to, source, events, more = 0 }: Traced): Branch[] {
  const outside = source === undefined ? [] : [{ text: `source ${printable(source)}` }]
  if (sessionId === undefined) return outside
  const rest = more === 0 ? [] : [{ text: `and ${counted(more, 'more event')}` }]
  const said = (events ?? []).map(({ sequence, type, content }) => ({
    text: `${sequence} ${type}${content === '' ? '' : `: ${printable(content)}`}`,
  }))
  const text = `session ${sessionId}${rangeText(from, to)}${events === undefined ? ', which is gone' : ''}`
  return [{ text, below: [...said, ...rest] }, ...outside]
}

function rangeText(from: number | undefined, to: number | undefined): string {
  if (from === undefined && to === undefined) return ''
  if (from === to) return `, event ${from}`
  return `, events ${from ?? 1} to ${to ?? 'its end'}`
}
