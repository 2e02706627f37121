import { z } from 'zod'
import type { ListSessions, Page, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { SESSION_STATES, type SessionRecord } from '../../domain/record.ts'
import { command } from '../command.ts'
import { listAll } from '../list-all.ts'
import { members, nameOption, tenant, timeOrAge, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { layoutSessions } from '../session/sessions-table.ts'
import { quoteForShell } from '../shell-quote.ts'
import { sqlitePath, type Target, withStore } from '../target.ts'
import { pluralize, sanitizeLine } from '../text.ts'
import { writeJsonLines } from '../write-lines.ts'

const DEFAULT_LIMIT = 50

export const sessionsCommand = command({
  usage: 'sessions',
  summary: 'list sessions, most recently active first',
  more: [
    'Narrow terminals get fewer columns or two lines per session; ids stay whole.',
    'An asterisk after the state: a run is live (throughline runs <session>).',
    '--json prints {"items":[…],"nextCursor":"…"}; with --all, one session per line.',
    '',
    'Example: throughline sessions --user ada --state awaiting_user --since 3d',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'only sessions of this user' },
    { flags: '--tenant <id>', description: 'tenant of the sessions (default: "local")' },
    { flags: '--state <state>', description: `only sessions in this state: ${SESSION_STATES.join(', ')}` },
    { flags: '--agent <id>', description: 'only sessions where this agent is active' },
    { flags: '--chatmode <name>', description: 'only sessions with this chatmode' },
    { flags: '--conversation <id>', description: 'only sessions of this conversation' },
    { flags: '--parent <session>', description: 'only sub-agents of this session' },
    { flags: '--metadata <members>', description: 'only with these members of their metadata: project=x,size=3' },
    {
      flags: '--since <time>',
      description: 'active since this time or within this age (2h, 3d, 2026-01-31T09:30Z)',
    },
    { flags: '--until <time>', description: 'last active before this time or age' },
    { flags: '--limit <count>', description: `number of sessions, up to ${LIMITS.page} (default: ${DEFAULT_LIMIT})` },
    { flags: '--cursor <cursor>', description: 'nextCursor of the previous page' },
    { flags: '--all', description: 'list all sessions, page by page' },
  ],
  input: z.strictObject({
    user: nameOption().optional(),
    tenant,
    state: z.enum(SESSION_STATES, `must be one of ${SESSION_STATES.join(', ')}`).optional(),
    agent: nameOption().optional(),
    chatmode: nameOption().optional(),
    conversation: nameOption().optional(),
    parent: z.guid('must be the whole id of a session').optional(),
    metadata: members.optional(),
    since: timeOrAge.optional(),
    until: timeOrAge.optional(),
    limit: wholeNumber(1, LIMITS.page).optional(),
    cursor: z.string().min(1, 'must not be empty').optional(),
    all: z.boolean().default(false),
  }),

  async run({ all, limit, user: userId, state: status, conversation: conversationId, ...rest }, { target, output }) {
    if (all && limit !== undefined) throw new ValidationError('limit', 'cannot be combined with --all')
    const filters = defined({ userId, status, conversationId, ...rest })
    const query = { ...filters, limit: all ? LIMITS.page : (limit ?? DEFAULT_LIMIT) }
    // the default store may not exist yet; a store named with --url must exist
    await withStore(target, (tl) => printSessions(tl, query, all, output, target), {
      absent: target.explicit ? 'refuse' : 'memory',
    })
  },
})

async function printSessions(
  tl: Throughline,
  query: ListSessions,
  all: boolean,
  output: Output,
  target: Target,
): Promise<void> {
  const { limit: _page, ...filters } = query
  if (all && output.json) {
    const records = listAll((page) => tl.sessions.list({ ...query, ...page }), query.cursor)
    return await writeJsonLines(records, undefined, () => {})
  }
  const first = await tl.sessions.list(query)
  if (output.json) return output.print('', first)
  if (first.items.length === 0)
    return output.say(Object.keys(filters).length > 0 ? 'No matching sessions.' : await formatEmpty(tl, target))
  await output.sayAll(renderPages(tl, query, first, all, output))
}

async function* renderPages(
  tl: Throughline,
  query: ListSessions,
  first: Page<SessionRecord>,
  all: boolean,
  output: Output,
): AsyncGenerator<string> {
  const { head, renderRows: lines } = layoutSessions(first.items, {
    ...output,
    now: Date.now(),
    more: all && first.nextCursor !== undefined,
  })
  yield [...head.map((line) => output.paint('bold', line)), ...lines(first.items)].join('\n')
  let count = first.items.length
  let { nextCursor } = first
  while (all && nextCursor !== undefined) {
    const page: Page<SessionRecord> = await tl.sessions.list({ ...query, cursor: nextCursor })
    if (page.items.length > 0) yield lines(page.items).join('\n')
    count += page.items.length
    nextCursor = page.nextCursor
  }
  const ways = count < LIMITS.page ? '--limit or --all' : '--all'
  const more = nextCursor === undefined ? '' : `; show more with ${ways}`
  yield `\n${output.paint('dim', `${pluralize(count, 'session')}${more}`)}`
}

async function formatEmpty(tl: Throughline, target: Target): Promise<string> {
  // export reads every tenant that the caller can see
  for await (const _ of tl.export()) {
    return `No sessions for tenant ${sanitizeLine(tl.principal?.tenant ?? 'local')}. Other tenants have some: use --tenant.`
  }
  return formatGettingStarted(target)
}

/** First steps for an empty store. */
function formatGettingStarted({ url }: Target): string {
  const file = sqlitePath(url)
  const where = file === undefined ? '' : ` in ${sanitizeLine(file)}`
  const demo =
    file === undefined
      ? 'throughline demo --url …'
      : `throughline demo --url ${quoteForShell(sanitizeLine(`sqlite:${file}`))}`
  return [
    `No sessions yet${where}.`,
    '',
    'Create one from a program:',
    "  const tl = await open(); await tl.sessions.create({ userId: 'ada', task: 'Plan the trip' })",
    'or write the demo conversation to this store:',
    `  ${demo}`,
  ].join('\n')
}
