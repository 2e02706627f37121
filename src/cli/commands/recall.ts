import { z } from 'zod'
import type { RecallItem, RecallResult } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { renderFittedTable } from '../fitted-table.ts'
import { given, listOf, tenant, user, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

const KINDS = ['event', 'commit', 'memory'] as const

const recallInput = z.strictObject({
  query: z.string(),
  user,
  tenant,
  kinds: listOf(KINDS).optional(),
  since: z.string().optional(),
  until: z.string().optional(),
  maxTokens: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  limit: wholeNumber(1, LIMITS.page).default(10),
})

export const recallCommand: Command = {
  usage: 'recall <query>',
  summary: "look in all that a user's past holds: messages, summaries, memories",
  more: [
    'Best first. A place is the end of a session id with the sequence of the event;',
    '--json has all of it.',
    '',
    'Example: throughline recall "how do we retry" --user ada --since 2026-01-01',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'whose past (required)' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
    { flags: '--kinds <list>', description: 'some of event,commit,memory (default: all of them)' },
    { flags: '--since <time>', description: 'only what was said at or after this time, in ISO 8601' },
    { flags: '--until <time>', description: 'only what was said before this time, in ISO 8601' },
    { flags: '--max-tokens <count>', description: 'budget for the contents together' },
    { flags: '--limit <count>', description: 'at most so many (default: 10)' },
  ],

  async run(input, { target, output }) {
    const { query, user: userId, limit, ...filters } = parse(recallInput, input)
    const result = await withStore(target, (tl) => tl.recall({ userId, query, limit, ...given(filters) }))
    output.print(formatResult(result, output), result)
    return undefined
  },
}

function formatResult({ items, tokens, pending }: RecallResult, { paint }: Output): string {
  const behind =
    pending === undefined
      ? ''
      : `\n${pluralize(pending, 'session')} not looked at to the end yet: run throughline index, then ask again.`
  if (items.length === 0) return `Nothing fits.${behind}`
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
  return `${rows}\n\n${paint('dim', `${pluralize(items.length, 'hit')}, ${pluralize(tokens, 'token')}`)}${behind}`
}

function formatSpeaker({ kind, role, agentId, sourceType }: RecallItem): string {
  if (kind === 'event') return agentId ?? role ?? ''
  return kind === 'commit' ? 'summary' : (sourceType ?? '')
}

/** The end of the session's id, since those of one minute begin alike, and the sequence. */
function formatPlace({ kind, sessionId, sequence }: RecallItem): string {
  return sessionId === undefined ? kind : `${sessionId.slice(-8)}:${sequence ?? ''}`
}
