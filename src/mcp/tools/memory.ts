import { z } from 'zod'
import type { RecallItem } from '../../api.ts'
import { MEMORY_CATEGORIES } from '../../domain/memory/memory.ts'
import { SOURCE_TYPES } from '../../domain/memory/source-type.ts'
import { defined } from '../../domain/optional.ts'
import { RECALL_KINDS } from '../../domain/recall/recall-kind.ts'
import { moment, name, uuid } from '../../features/kernel/parse.ts'
import { quote } from '../quote.ts'
import { fitFirst, truncate } from '../response-limits.ts'
import { defineTool, idempotencyKey, pageLimit } from '../tool.ts'
import { omittedText } from '../views.ts'

const remember = defineTool({
  name: 'remember',
  title: 'Remember something about the user',
  description:
    'Store a fact, preference or rule for all later sessions. Call when the user asks you to, or says something of lasting use. One thing per call, in one sentence; never secrets. A duplicate raises the confidence of the existing memory.',
  input: z.object({
    content: z.string().min(1).describe('One self-contained sentence.'),
    category: z.enum(MEMORY_CATEGORIES).default('facts'),
    scope: z.optional(name()).describe('Where it applies, such as a project. Default: everywhere.'),
    sourceType: z
      .enum(SOURCE_TYPES)
      .default('explicit')
      .describe('explicit: the user said it. implicit: you inferred it. tool_output: a tool or page said it.'),
    confidence: z.number().min(0).max(1).optional().describe('How certain it is, 0 to 1.'),
    sessionId: z.optional(uuid()).describe('Session it comes from.'),
    expiresAt: z.optional(moment()).describe('When it stops being recalled, ISO 8601.'),
    idempotencyKey,
  }),
  output: z.object({
    id: z.string(),
    outcome: z.enum(['created', 'merged', 'unchanged']),
    content: z.string().describe('As stored; an existing memory keeps its own words.'),
    confidence: z.number(),
  }),
  effect: 'adds',
  async run({ tl, userId }, { sessionId, idempotencyKey: key, ...input }) {
    const source = sessionId === undefined ? undefined : { sessionId }
    const { id, outcome, content, confidence } = await tl.memories.remember(
      defined({ ...input, source, userId }),
      defined({ idempotencyKey: key }),
    )
    return { data: { id, outcome, content: truncate(content), confidence }, text: `${outcome}: memory ${id}` }
  },
})

const itemSchema = z.object({
  kind: z.enum(RECALL_KINDS),
  id: z.string().describe('Id of the message, summary or memory.'),
  sessionId: z.string().optional(),
  sequence: z.int().optional(),
  content: z.string(),
  score: z.number().describe('Higher is better.'),
  at: z.string(),
  sourceType: z.string().optional().describe('Origin of a memory.'),
})

const recall = defineTool({
  name: 'recall',
  title: 'Search past sessions and memories',
  description:
    "Search the user's past, best match first: messages of all sessions, summaries of finished ones, and memories. Call before you ask the user something that may have come up before, or when the user mentions earlier work.",
  input: z.object({
    query: z.string().min(1).describe('Keywords or a question.'),
    kinds: z
      .array(z.enum(RECALL_KINDS))
      .min(1)
      .optional()
      .describe('Only these kinds: event (messages), commit (summaries), memory.'),
    since: z.optional(moment()).describe('Only at or after this time, ISO 8601.'),
    until: z.optional(moment()).describe('Only before this time, ISO 8601.'),
    limit: pageLimit(50, 10),
  }),
  output: z.object({ items: z.array(itemSchema), omitted: z.int().describe('Items omitted to fit the response.') }),
  effect: 'reads',
  async run({ tl, userId }, input) {
    const { items } = await tl.recall({ ...defined(input), userId })
    const { kept, omitted } = fitFirst(items, itemView)
    const lines = kept.map(({ kind, id, at, content }) => `- ${kind} ${id} (${at}): ${content}`)
    const text = kept.length === 0 ? ['Nothing found.'] : [quote(...lines), ...omittedText(omitted, 'items')]
    return { data: { items: kept, omitted }, text: text.join('\n') }
  },
})

function itemView(item: RecallItem, maxText: number): z.input<typeof itemSchema> {
  const { kind, id, sessionId, sequence, content, score, at, sourceType } = item
  return defined({ kind, id, content: truncate(content, maxText), score, at, sessionId, sequence, sourceType })
}

const forget = defineTool({
  name: 'forget',
  title: 'Delete a memory',
  description: 'Delete a memory for good. Call only when the user asks, with an id of kind memory from recall.',
  input: z.object({ memoryId: uuid().check(z.describe('Memory id.')), idempotencyKey }),
  output: z.object({ forgotten: z.int().describe('Number of deleted memories.') }),
  effect: 'removes',
  async run({ tl }, { memoryId, idempotencyKey: key }) {
    const { forgotten } = await tl.memories.forget(memoryId, defined({ idempotencyKey: key }))
    return { data: { forgotten }, text: forgotten === 1 ? 'Deleted.' : 'Already deleted.' }
  },
})

export const memoryTools = [remember, recall, forget]
