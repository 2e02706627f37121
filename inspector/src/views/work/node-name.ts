import { isNode, TASK_NODE } from '../../domain.ts'

/** Kind and name of a node. */
export function splitNode(node: string): { kind: string; name: string } {
  const colon = node.indexOf(':')
  return colon < 0 ? { kind: '', name: node } : { kind: node.slice(0, colon), name: node.slice(colon + 1) }
}

/** The node of a file; `undefined` if the path is too long for a node. */
export function fileNode(path: string): string | undefined {
  const node = `file:${path}`
  return isNode(node) ? node : undefined
}

/** The name to show for a node: the task, or a note's text instead of its id. */
export function displayName(node: string, texts: ReadonlyMap<string, string>, task: string | undefined): string {
  if (node === TASK_NODE) return task ?? 'session'
  const { kind, name } = splitNode(node)
  return kind === 'note' || kind === 'decision' ? (texts.get(name) ?? name) : name
}

/** Shortens a text to `max` characters by cutting its middle: the start and end of a path say the most. */
export function truncateMiddle(text: string, max: number): string {
  if (text.length <= max) return text
  const head = Math.ceil((max - 1) / 2)
  const start = text.slice(0, head).replace(/[\ud800-\udbff]$/, '')
  const end = text.slice(text.length - (max - 1 - head)).replace(/^[\udc00-\udfff]/, '')
  return `${start}…${end}`
}

/** Adds a node to the trail, or goes back to it if it is already there. */
export function extendTrail(trail: readonly string[], node: string): string[] {
  const at = trail.indexOf(node)
  return at < 0 ? [...trail, node].slice(-MAX_TRAIL) : trail.slice(0, at + 1)
}

const MAX_TRAIL = 8
