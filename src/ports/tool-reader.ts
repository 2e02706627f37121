import type { Edge } from '../domain/graph.ts'
import type { ToolArguments, ToolUse } from '../domain/tools/tool-table.ts'

export type { ToolArguments, ToolUse }

/** An observation as a function states it. A file's `content` is kept as its SHA-256 and length. */
export type StatedObservation =
  | { kind: 'note' | 'plan'; text: string; id?: string }
  | { kind: 'fileRead'; path: string }
  | { kind: 'fileWrite'; path: string; content?: string; hash?: string; bytes?: number }
  | { kind: 'command'; command: string; exitCode?: number; output?: string }
  | { kind: 'relations'; edges: Edge[] }

/**
 * Says what calls of a tool mean: `false` for nothing, the names of its arguments, or a function of a call and its
 * result. The function must be synchronous and always say the same of the same call. If it throws, or says something
 * invalid, there is no observation.
 */
export type ToolReader =
  | false
  | ToolArguments
  | ((use: ToolUse) => StatedObservation | readonly StatedObservation[] | undefined)
