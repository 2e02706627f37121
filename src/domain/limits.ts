/** Maximum accepted sizes, the same on every store. Lengths count characters (UTF-16 code units). */
export const LIMITS = {
  /** `content` of one event. */
  content: 8 * 1024 * 1024,
  /** `parts` of one event, as JSON text. */
  parts: 8 * 1024 * 1024,
  /** All events of one append together. */
  append: 16 * 1024 * 1024,
  /** Events in one append. */
  events: 1000,
  /** Tool calls of one message. */
  calls: 1000,
  /** Levels of nesting in any JSON value. */
  depth: 100,
  /** Members of all objects and items of all lists in any JSON value. */
  members: 50_000,
  /** A message to `handle`, a question, an answer, a proposal, a summary, or a reason: views repeat them. */
  statement: 1024 * 1024,
  /** `metadata` of a session or a memory, as JSON text. */
  metadata: 64 * 1024,
  /** The scratchpad of a session, as JSON text. */
  scratchpad: 1024 * 1024,
  /** `task` of a session. */
  task: 64 * 1024,
  /** A note, a plan, or the line of a command. */
  note: 64 * 1024,
  /** Stored part of a command's output. */
  output: 16 * 1024,
  /** Waiting observations of one session, as JSON text. */
  staged: 4 * 1024 * 1024,
  /** Open requests of one session. */
  requests: 100,
  /** All open requests of one session together, as JSON text: each decision reads and stores them. */
  openRequests: 1024 * 1024,
  /** `question` of a request. */
  question: 64 * 1024,
  /** `schema` of a request, as JSON text. */
  requestSchema: 16 * 1024,
  /** The value that resolves a request, as JSON text. */
  requestValue: 256 * 1024,
  /** Edges read per step through the graph. */
  edges: 2000,
  /** `content` of a memory. */
  memory: 16 * 1024,
  /** Memories in one call. */
  memories: 1000,
  /** All memories of one call together: contents, and metadata as JSON text. SQLite writes this much in 0.2 s. */
  remember: 2 * 1024 * 1024,
  /** Query of `recall` or `memories.search`. */
  query: 64 * 1024,
  /** Name of a model in `usage`. */
  model: 128,
  /** Tokens of one kind in `usage`. */
  tokens: 100_000_000,
  /** US dollars in `usage`. */
  cost: 10_000,
  /** Agents that a claim names: each is looked up by itself. */
  claimAgents: 50,
  /** Names and ids chosen by callers: user, tenant, conversation, chatmode, agent, key … */
  name: 512,
  /** Rows on one page. */
  page: 500,
  /** Content and parts after which a page of events ends, or JSON after which a page of a list ends. */
  pageSize: 4 * 1024 * 1024,
  /** Content and parts of a window, and of messages that are converted at once. A single event may be larger. */
  windowSize: 16 * 1024 * 1024,
} as const

/** Rows on a page without a `limit`. */
export const DEFAULT_PAGE = 100
