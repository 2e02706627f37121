/** Kinds of nodes, in the order of the legend. */
export const KINDS = ['task', 'file', 'module', 'item', 'package', 'note', 'decision', 'diagnostic'] as const

/** The node where the graph begins: what the session is about. */
export const TASK_NODE = 'task:session'

/** Longest name that the server takes as a node. */
const MOST = 400

/** Kind and name of a node. */
export function splitNode(node: string): { kind: string; name: string } {
  const colon = node.indexOf(':')
  return colon < 0 ? { kind: '', name: node } : { kind: node.slice(0, colon), name: node.slice(colon + 1) }
}

/** The node of a file; `undefined` where the path is too long to be named as it is. */
export function fileNode(path: string): string | undefined {
  return path.length > MOST ? undefined : `file:${path}`
}

/** What a node is called for people: the task, or the words of a note instead of its id. */
export function displayName(node: string, texts: ReadonlyMap<string, string>, task: string | undefined): string {
  if (node === TASK_NODE) return task ?? 'session'
  const { kind, name } = splitNode(node)
  return kind === 'note' || kind === 'decision' ? (texts.get(name) ?? name) : name
}

/** A text of at most so many characters: what is too much goes out of its middle, for beginning and end tell most. */
export function truncateMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const head = Math.ceil((most - 1) / 2)
  const begin = text.slice(0, head).replace(/[\ud800-\udbff]$/, '')
  const end = text.slice(text.length - (most - 1 - head)).replace(/^[\udc00-\udfff]/, '')
  return `${begin}…${end}`
}

/** The way taken through the graph: a node that was on it already is where it goes back to. */
export function extendTrail(trail: readonly string[], node: string): string[] {
  const at = trail.indexOf(node)
  return at < 0 ? [...trail, node].slice(-MAX_TRAIL) : trail.slice(0, at + 1)
}

const MAX_TRAIL = 8
