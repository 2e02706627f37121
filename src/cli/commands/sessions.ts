import { z } from 'zod'
import type { ListSessions, Page, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { SESSION_STATES, type SessionRecord } from '../../domain/record.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { given, nameOption, tenant, timeOrAge, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { layoutSessions } from '../session/sessions-table.ts'
import { quoteForShell } from '../shell-quote.ts'
import { sqlitePath, type Target, withStore } from '../target.ts'
import { pluralize, sanitizeLine } from '../text.ts'
import { writeLines } from '../write-lines.ts'

const sessionsInput = z.strictObject({
  user: nameOption().optional(),
  tenant,
  state: z.enum(SESSION_STATES, `must be one of ${SESSION_STATES.join(', ')}`).optional(),
  agent: nameOption().optional(),
  chatmode: nameOption().optional(),
  conversation: nameOption().optional(),
  since: timeOrAge.optional(),
  until: timeOrAge.optional(),
  limit: wholeNumber(1, LIMITS.page).optional(),
  cursor: z.string().min(1, 'must not be empty').optional(),
  all: z.boolean().default(false),
})

/** Sessions that are listed where nobody says how many. */
const DEFAULT_LIMIT = 50

export const sessionsCommand: Command = {
  usage: 'sessions',
  summary: 'list sessions, those with the newest activity first',
  more: [
    'Narrow terminals get fewer columns, or two lines for each session; ids are',
    'always whole. --json prints {"items":[…],"nextCursor":"…"}, and with --all one',
    'session a line.',
    '',
    'Example: throughline sessions --user ada --state awaiting_user --since 3d',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'only those of this user' },
    { flags: '--tenant <id>', description: 'tenant of the sessions (default: "local")' },
    { flags: '--state <state>', description: `one of ${SESSION_STATES.join(', ')}` },
    { flags: '--agent <id>', description: 'only those where this agent is the active one' },
    { flags: '--chatmode <name>', description: 'only those of this chatmode' },
    { flags: '--conversation <id>', description: 'only those of this conversation' },
    {
      flags: '--since <time>',
      description: 'last activity so long ago at most, such as 2h or 3d, or at this time or later',
    },
    { flags: '--until <time>', description: 'last activity before that' },
    { flags: '--limit <count>', description: `at most so many, up to ${LIMITS.page} (default: ${DEFAULT_LIMIT})` },
    { flags: '--cursor <cursor>', description: 'go on behind a page: its nextCursor' },
    { flags: '--all', description: 'all of them, page after page' },
  ],

  async run(input, { target, output }) {
    const {
      all,
      limit,
      user: userId,
      state: status,
      conversation: conversationId,
      ...rest
    } = parse(sessionsInput, input)
    if (all && limit !== undefined) throw new ValidationError('limit', 'must not be given beside --all')
    const filters = given({ userId, status, conversationId, ...rest })
    const query = { ...filters, limit: all ? LIMITS.page : (limit ?? DEFAULT_LIMIT) }
    // a store that is not there yet has no sessions; but one that was named should be
    await withStore(target, (tl) => printSessions(tl, query, all, output, target), {
      absent: target.explicit ? 'refuse' : 'memory',
    })
    return undefined
  },
}

async function printSessions(
  tl: Throughline,
  query: ListSessions,
  all: boolean,
  output: Output,
  target: Target,
): Promise<void> {
  const { limit: _page, ...filters } = query
  if (all && output.json) return await writeLines(listAll(tl, query), undefined, () => {})
  const first = await tl.sessions.list(query)
  if (output.json) return output.print('', first)
  if (first.items.length === 0)
    return output.say(Object.keys(filters).length > 0 ? 'No session fits.' : await formatEmpty(tl, target))
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
  const ways = count < LIMITS.page ? '--limit, --all' : '--all'
  const more = nextCursor === undefined ? '' : `, and there are more: ${ways}`
  yield `\n${output.paint('dim', `${pluralize(count, 'session')}${more}`)}`
}

async function* listAll({ sessions }: Throughline, query: ListSessions): AsyncGenerator<SessionRecord> {
  for (let cursor = query.cursor; ; ) {
    const page: Page<SessionRecord> = await sessions.list({ ...query, ...given({ cursor }) })
    yield* page.items
    if (page.nextCursor === undefined) return
    cursor = page.nextCursor
  }
}

async function formatEmpty(tl: Throughline, target: Target): Promise<string> {
  // those of every tenant that the caller may see
  for await (const _ of tl.export()) {
    return `No sessions of tenant ${sanitizeLine(tl.principal?.tenant ?? 'local')}; --tenant names another.`
  }
  return formatGettingStarted(target)
}

/** What to do where nothing is yet. */
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
    'To begin, from a program:',
    "  const tl = await open(); await tl.sessions.create({ userId: 'ada', task: 'Plan the trip' })",
    'or write the conversation of the demo into the store:',
    `  ${demo}`,
  ].join('\n')
}
