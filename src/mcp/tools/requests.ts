import { z } from 'zod'
import type { Page, Session, SessionRequest } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import { name, uuid } from '../../features/kernel/parse.ts'
import { quote } from '../quote.ts'
import { fitItem, MAX_RESPONSE, oneLine, truncate, truncateDeep } from '../response-limits.ts'
import { defineTool, idempotencyKey, pageLimit, sessionId } from '../tool.ts'

/** Requests on one page. */
const MAX_LISTED = 20

/** A request as models see it. */
const requestSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  kind: z.string(),
  question: z.string(),
  schema: z.looseObject({}).optional(),
  toolCallId: z.string().optional(),
  openedAt: z.string(),
})

type RequestView = z.output<typeof requestSchema>

function requestView(request: SessionRequest & { sessionId: string }, maxText: number): RequestView {
  const { id, sessionId: of, kind, question, schema, toolCallId, openedAt } = request
  return defined({
    id,
    sessionId: of,
    kind: truncate(kind, maxText),
    question: truncate(question, maxText),
    schema: schema && { ...truncateDeep(schema, maxText) },
    toolCallId: toolCallId === undefined ? undefined : truncate(toolCallId, maxText),
    openedAt,
  })
}

function requestText({ id, sessionId: of, kind, question, schema }: RequestView): string {
  const needs = schema === undefined ? '' : `\n  value: ${JSON.stringify(schema)}`
  return `${oneLine(id)} of session ${of} (${oneLine(kind)}): ${question}${needs}`
}

const listRequests = defineTool({
  name: 'list_requests',
  title: 'List open requests',
  description:
    'List what sessions asked a person to approve, choose or fill in and nobody has answered yet. Call to show the user what waits for them.',
  input: z.object({
    sessionId: z.optional(uuid()).describe('Only of this session. Default: all sessions.'),
    limit: pageLimit(MAX_LISTED, 10),
    cursor: z.string().optional().describe('nextCursor of the previous page.'),
  }),
  output: z.object({ requests: z.array(requestSchema), nextCursor: z.string().optional() }),
  effect: 'reads',
  async run({ tl, userId }, { sessionId: id, ...query }) {
    const page = defined(query)
    const { items, nextCursor } =
      id === undefined ? await tl.requests({ ...page, userId }) : await openOf(await tl.sessions.get(id), page)
    const requests = items.map((request) => fitItem(request, requestView, MAX_RESPONSE / MAX_LISTED))
    const more = nextCursor === undefined ? [] : [`Next page: cursor ${nextCursor}`]
    const lines = requests.length === 0 ? ['No open requests.'] : [quote(...requests.map(requestText))]
    return { data: { requests, ...defined({ nextCursor }) }, text: [...lines, ...more].join('\n') }
  },
})

async function openOf(
  session: Session,
  page: { limit: number; cursor?: string },
): Promise<Page<SessionRequest & { sessionId: string }>> {
  const { items, ...rest } = await session.requests({ ...page, status: 'open' })
  return { items: items.map((request) => ({ ...request, sessionId: session.id })), ...rest }
}

const resolveRequest = defineTool({
  name: 'resolve_request',
  title: 'Resolve a request',
  description:
    "Record the user's decision on an open request, so that the waiting session continues. Pass only what the user decided; never decide for them. Each request can be resolved once.",
  input: z.object({
    sessionId,
    requestId: name().check(z.describe('Id of the request, from list_requests.')),
    value: z.unknown().describe("The user's decision: JSON that fits the schema of the request."),
    idempotencyKey,
  }),
  output: z.object({ resolvedAt: z.string() }),
  effect: 'changes',
  async run({ tl }, { sessionId: id, requestId, value, idempotencyKey: key }) {
    const session = await tl.sessions.get(id)
    const resolved = await session.resolve(requestId, value as never, defined({ idempotencyKey: key }))
    return { data: { resolvedAt: resolved.resolvedAt ?? '' }, text: 'Resolved. The session can continue.' }
  },
})

export const requestTools = [listRequests, resolveRequest]
