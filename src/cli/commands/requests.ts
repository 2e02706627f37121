import { z } from 'zod'
import type { FoundRequest, Page, SessionRequest } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { command } from '../command.ts'
import { nameOption, tenant, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { findSession } from '../session/find-session.ts'
import { renderTable } from '../table.ts'
import { withStore } from '../target.ts'
import { sanitizeLine, sanitizeLines } from '../text.ts'

const DEFAULT_LIMIT = 50

export const requestsCommand = command({
  usage: 'requests [session]',
  summary: 'list open requests to people, or resolve one',
  more: [
    'With a session it lists the requests of that session, resolved ones too.',
    'A value must fit the JSON Schema of its request.',
    '',
    'Example: throughline requests --user ada',
    '         throughline requests 01a1e49e-… --resolve deploy --value true',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'only sessions of this user' },
    { flags: '--tenant <id>', description: 'tenant of the sessions (default: "local")' },
    { flags: '--resolve <request>', description: 'id of the request to resolve; needs a session and --value' },
    { flags: '--value <json>', description: 'value to resolve it with, as JSON: true, \'"later"\', \'{"amount":5}\'' },
    { flags: '--limit <count>', description: `number of requests, up to ${LIMITS.page} (default: ${DEFAULT_LIMIT})` },
    { flags: '--cursor <cursor>', description: 'nextCursor of the previous page' },
  ],
  input: z.strictObject({
    session: nameOption().optional(),
    user: nameOption().optional(),
    tenant,
    resolve: nameOption().optional(),
    value: z.string().optional(),
    limit: wholeNumber(1, LIMITS.page).default(DEFAULT_LIMIT),
    cursor: z.string().min(1, 'must not be empty').optional(),
  }),

  async run({ session: id, user: userId, tenant, resolve, value, ...query }, { target, output }) {
    const page = defined(query)
    if (resolve === undefined && value !== undefined) {
      throw new ValidationError('resolve', 'is required with --value; pass the id of the request')
    }
    if (id === undefined) {
      if (resolve !== undefined) throw new ValidationError('session', 'is required with --resolve')
      const found = await withStore(target, (tl) => tl.requests({ ...page, ...defined({ userId, tenant }) }))
      return print(output, found, 'No open requests.')
    }
    if (userId !== undefined) throw new ValidationError('user', 'cannot be combined with a session')
    if (resolve === undefined) {
      const of = await withStore(target, async (tl) => (await findSession(tl, id, tenant)).requests(page))
      return print(output, of, 'The session has no requests.')
    }
    const json = parseValue(value)
    const resolved = await withStore(target, async (tl) => (await findSession(tl, id, tenant)).resolve(resolve, json))
    output.print(`Resolved ${sanitizeLine(resolved.id)} with ${sanitizeLine(textOf(resolved.value))}.`, resolved)
    return undefined
  },
})

function parseValue(text: string | undefined): Json {
  if (text === undefined) throw new ValidationError('value', 'is required with --resolve')
  try {
    return JSON.parse(text) as Json
  } catch {
    throw new ValidationError('value', 'must be JSON, such as true or \'"later"\'')
  }
}

const textOf = (value: Json | undefined) => JSON.stringify(value) ?? ''

function print(output: Output, page: Page<SessionRequest>, none: string): undefined {
  const { items, nextCursor } = page
  const list = items.length === 0 ? none : items.map((request) => formatRequest(request, output)).join('\n\n')
  output.print(nextCursor === undefined ? list : `${list}\n\nNext page: --cursor ${nextCursor}`, page)
  return undefined
}

/** The question, and what is known of the request. */
function formatRequest(request: SessionRequest & Partial<FoundRequest>, { paint }: Output): string {
  const { id, kind, question, schema, status, openedAt, resolvedAt, value, toolCallId, sessionId, userId } = request
  const facts = defined({
    request: id,
    kind,
    session: sessionId,
    user: userId,
    'tool call': toolCallId,
    opened: openedAt,
    resolved: resolvedAt,
    schema: status === 'open' && schema !== undefined ? textOf(schema) : undefined,
    value: status === 'resolved' ? textOf(value) : undefined,
  })
  const rows = Object.entries(facts)
  const table = renderTable(rows, [
    { value: ([name]) => name, paint: (text) => paint('dim', text) },
    { value: ([, fact]) => String(fact) },
  ])
  return `${paint('bold', sanitizeLines(question))}\n${table}`
}
