import { z } from 'zod'
import type { RecallItem } from '../../api.ts'
import { MEMORY_CATEGORIES } from '../../domain/memory/memory.ts'
import { SOURCE_TYPES } from '../../domain/memory/source-type.ts'
import { RECALL_KINDS } from '../../domain/recall/recall-kind.ts'
import { moment, name, uuid } from '../../features/kernel/parse.ts'
import { quote } from '../quote.ts'
import { fitFirst, truncate } from '../response-limits.ts'
import { defineTool, idempotencyKey, pageLimit } from '../tool.ts'
import { given } from '../tool-context.ts'
import { omittedText } from '../views.ts'

const remember = defineTool({
  name: 'remember',
  title: 'Remember something of the user',
  description:
    'Keeps a fact, a preference or a rule beyond the session, for every later one. Use it when the user asks for it, or says something of lasting use; one thing in one sentence each, never secrets. What says the same as a memory there is strengthens that one.',
  input: z.object({
    content: z.string().min(1).describe('One thing, in a sentence that can be understood alone.'),
    category: z.enum(MEMORY_CATEGORIES).default('facts'),
    scope: z.optional(name()).describe('Where it holds, such as a project; everywhere if absent.'),
    sourceType: z
      .enum(SOURCE_TYPES)
      .default('explicit')
      .describe('explicit: the user said so. implicit: you gathered it. tool_output: a tool or a page said so.'),
    confidence: z.number().min(0).max(1).optional().describe('How far it is believed, 0 to 1.'),
    sessionId: z.optional(uuid()).describe('The session it comes from.'),
    expiresAt: z.optional(moment()).describe('From then on it does not come back, ISO 8601.'),
    idempotencyKey,
  }),
  output: z.object({
    id: z.string(),
    outcome: z.enum(['created', 'merged', 'unchanged']),
    content: z.string().describe('As it is kept: of a memory that was there before, its own words.'),
    confidence: z.number(),
  }),
  effect: 'adds',
  async run({ tl, userId }, { sessionId, idempotencyKey: key, ...input }) {
    const source = sessionId === undefined ? {} : { source: { sessionId } }
    const { id, outcome, content, confidence } = await tl.memories.remember(
      { ...given(input), content: input.content, ...source, userId },
      given({ idempotencyKey: key }),
    )
    return { data: { id, outcome, content: truncate(content), confidence }, text: `${outcome}: memory ${id}` }
  },
})

const itemSchema = z.object({
  kind: z.enum(RECALL_KINDS),
  id: z.string().describe('Of the message, the summary or the memory.'),
  sessionId: z.string().optional(),
  sequence: z.int().optional(),
  content: z.string(),
  score: z.number().describe('Greater is better.'),
  at: z.string(),
  sourceType: z.string().optional().describe('How a memory came about.'),
})

const recall = defineTool({
  name: 'recall',
  title: 'Recall what was said and kept',
  description:
    'Looks in all that the past of the user holds: messages of every session, summaries of finished ones, memories; best first. Use it before you ask the user something that may have been said before, or when the user refers to earlier work.',
  input: z.object({
    query: z.string().min(1).describe('What to look for, in words or as a question.'),
    kinds: z
      .array(z.enum(RECALL_KINDS))
      .min(1)
      .optional()
      .describe('Only these: messages, summaries (commit), memories.'),
    since: z.optional(moment()).describe('Only from then on, ISO 8601.'),
    until: z.optional(moment()).describe('Only before then, ISO 8601.'),
    limit: pageLimit(50, 10),
  }),
  output: z.object({ items: z.array(itemSchema), omitted: z.int().describe('Items that found no room.') }),
  effect: 'reads',
  async run({ tl, userId }, input) {
    const { items } = await tl.recall({ ...given(input), query: input.query, userId })
    const { kept, omitted } = fitFirst(items, itemView)
    const lines = kept.map(({ kind, id, at, content }) => `- ${kind} ${id} (${at}): ${content}`)
    const text = kept.length === 0 ? ['Nothing was found.'] : [quote(...lines), ...omittedText(omitted, 'items')]
    return { data: { items: kept, omitted }, text: text.join('\n') }
  },
})

function itemView(item: RecallItem, longest: number): z.input<typeof itemSchema> {
  const { kind, id, sessionId, sequence, content, score, at, sourceType } = item
  return { kind, id, content: truncate(content, longest), score, at, ...given({ sessionId, sequence, sourceType }) }
}

const forget = defineTool({
  name: 'forget',
  title: 'Forget a memory',
  description:
    'Removes a memory for good. Use it only when the user asks for it, with an id of kind memory from recall.',
  input: z.object({ memoryId: uuid().check(z.describe('Id of the memory.')), idempotencyKey }),
  output: z.object({ forgotten: z.int().describe('Memories that are gone.') }),
  effect: 'removes',
  async run({ tl }, { memoryId, idempotencyKey: key }) {
    const { forgotten } = await tl.memories.forget(memoryId, given({ idempotencyKey: key }))
    return { data: { forgotten }, text: forgotten === 1 ? 'Forgotten.' : 'It was gone already.' }
  },
})

export const memoryTools = [remember, recall, forget]
