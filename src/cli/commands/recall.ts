import { z } from 'zod'
import type { RecallItem, RecallResult } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { reportCommand } from '../command.ts'
import { renderFittedTable } from '../fitted-table.ts'
import { listOf, tenant, USER_TENANT, user, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { pluralize } from '../text.ts'

const KINDS = ['event', 'commit', 'memory'] as const

export const recallCommand = reportCommand({
  usage: 'recall <query>',
  summary: "search a user's past: messages, summaries and memories",
  more: [
    'Prints the best result first. The column "place" shows the end of the session',
    'id and the sequence of the event; --json prints full ids and texts.',
    '',
    'Example: throughline recall "how do we retry" --user ada --since 2026-01-01',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'user whose past to search (required)' },
    USER_TENANT,
    { flags: '--kinds <list>', description: 'any of event,commit,memory (default: all)' },
    { flags: '--since <time>', description: 'only results at or after this time (ISO 8601)' },
    { flags: '--until <time>', description: 'only results before this time (ISO 8601)' },
    { flags: '--max-tokens <count>', description: 'token budget for all results together' },
    { flags: '--limit <count>', description: 'number of results (default: 10)' },
  ],
  input: z.strictObject({
    query: z.string(),
    user,
    tenant,
    kinds: listOf(KINDS).optional(),
    since: z.string().optional(),
    until: z.string().optional(),
    maxTokens: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
    limit: wholeNumber(1, LIMITS.page).default(10),
  }),

  work: (tl, { user: userId, query, limit, ...filters }) => tl.recall({ userId, query, limit, ...defined(filters) }),
  format: formatResult,
})

function formatResult({ items, tokens, pending }: RecallResult, { paint }: Output): string {
  const behind =
    pending === undefined
      ? ''
      : `\n${pluralize(pending, 'session')} not fully indexed yet. Run throughline index, then search again.`
  if (items.length === 0) return `No results.${behind}`
  const rows = renderFittedTable(
    items,
    [
      { title: 'score', value: ({ score }) => score.toFixed(2) },
      { title: 'when', value: ({ at }) => at.slice(0, 16).replace('T', ' '), dropOrder: 1 },
      { title: 'who', value: formatSpeaker, maxWidth: 16, dropOrder: 2 },
      { title: 'place', value: formatPlace },
    ],
    { title: 'text', value: ({ content }) => content },
  )
  return `${rows}\n\n${paint('dim', `${pluralize(items.length, 'result')}, ${pluralize(tokens, 'token')}`)}${behind}`
}

function formatSpeaker({ kind, role, agentId, sourceType }: RecallItem): string {
  if (kind === 'event') return agentId ?? role ?? ''
  return kind === 'commit' ? 'summary' : (sourceType ?? '')
}

/** The end of the session id and the sequence. Ids created in the same minute start alike. */
function formatPlace({ kind, sessionId, sequence }: RecallItem): string {
  return sessionId === undefined ? kind : `${sessionId.slice(-8)}:${sequence ?? ''}`
}
