import { z } from 'zod'
import type { Session, Snapshot, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { lineWidth } from '../line-width.ts'
import { given, tenant, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import {
  DEFAULT_EVENTS,
  DEFAULT_TURNS,
  type EventRange,
  readPages,
  requireReached,
  resolveRange,
} from '../session/event-range.ts'
import { findSession, partialIdTenantOption } from '../session/find-session.ts'
import { findStateSince, formatHeader } from '../session/session-header.ts'
import { renderTimeline, TurnHeadings } from '../session/timeline.ts'
import { formatViews, readWork, type Views } from '../session/views.ts'
import { withStore } from '../target.ts'
import { pluralize, wrap } from '../text.ts'

const MAX_SEQUENCE = Number.MAX_SAFE_INTEGER - 1
const flag = z.boolean().default(false)

const showInput = z.strictObject({
  session: z.string(),
  tenant,
  last: wholeNumber(1, MAX_SEQUENCE).optional(),
  turn: wholeNumber(1, MAX_SEQUENCE).optional(),
  after: wholeNumber(0, MAX_SEQUENCE).optional(),
  limit: wholeNumber(1, 10_000).optional(),
  at: wholeNumber(1, MAX_SEQUENCE).optional(),
  full: flag,
  state: flag,
  envelope: flag,
  agents: flag,
  work: flag,
})

type Options = z.output<typeof showInput>

export const showCommand: Command = {
  usage: 'show <session>',
  summary: 'show a session: where it stands, and what happened turn by turn',
  more: [
    'The number before each event is its sequence, for --at and --after. The',
    'beginning or the end of an id will do, 8 characters or more, among the last',
    '500 sessions of a tenant.',
    '',
    '--state, --envelope, --agents and --work show that view in place of the turns.',
    '--json prints {"record":…,"state":…,"events":[…]}, with those that were asked',
    'for beside them.',
    '',
    'Example: throughline show 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70 --last 3',
  ].join('\n'),
  options: [
    partialIdTenantOption,
    { flags: '--last <count>', description: `the last so many turns (default: ${DEFAULT_TURNS})` },
    { flags: '--turn <number>', description: 'one turn' },
    { flags: '--after <sequence>', description: 'events behind this one' },
    { flags: '--limit <count>', description: `with --after: at most so many (default: ${DEFAULT_EVENTS})` },
    { flags: '--at <sequence>', description: 'all as it was right after this event' },
    { flags: '--full', description: 'cut nothing' },
    { flags: '--state', description: 'the scratchpad' },
    { flags: '--envelope', description: 'the envelope' },
    { flags: '--agents', description: 'transitions and handoffs between agents' },
    { flags: '--work', description: 'what was done: decisions, files, commands' },
  ],

  async run(input, { target, output }) {
    const options = parse(showInput, input)
    requireOneRange(options)
    await withStore(target, async (tl) => show(tl, options, output))
    return undefined
  },
}

function requireOneRange({ last, turn, after, limit }: Options): void {
  const ranges = Object.entries({ last, turn, after }).filter(([, value]) => value !== undefined)
  const [, second] = ranges
  if (second !== undefined) throw new ValidationError(second[0], `must not be given beside --${ranges[0]?.[0]}`)
  if (limit !== undefined && after === undefined) throw new ValidationError('limit', 'goes with --after')
}

async function show(tl: Throughline, options: Options, output: Output): Promise<void> {
  const session = await findSession(tl, options.session, options.tenant)
  if (options.at !== undefined) requireReached('at', options.at, (await session.record()).head)
  const shot = options.at === undefined ? undefined : await session.at(options.at)
  const record = shot?.record ?? (await session.record())
  const part = await resolveRange(session, record, given(options))
  if (output.json) {
    const { agents, work, envelope } = await readViews(session, options, record, shot)
    const state = shot?.state ?? (await session.state())
    const events: SessionEvent[] = []
    for await (const page of readPages(session, part)) events.push(...page)
    return output.print('', { record, state, events, ...given({ envelope, agents, work }) })
  }
  output.say(formatHeader(record, await findStateSince(session, record), Date.now(), output))
  if (options.at !== undefined) output.say(output.paint('dim', `\nAs it was right after event ${options.at}.`))
  const views = await readViews(session, options, record, shot)
  if (Object.keys(views).length > 0) return output.say(`\n${formatViews(views, output)}`)
  await output.sayAll(renderLog(session, record.head, part, options.full, output))
}

async function readViews(
  session: Session,
  asked: Options,
  record: Snapshot['record'],
  shot?: Snapshot,
): Promise<Views> {
  const upTo = (sequence: number) => shot === undefined || sequence <= shot.sequence
  return given({
    state: asked.state ? (shot?.state ?? (await session.state())) : undefined,
    envelope: asked.envelope ? (shot?.envelope ?? (await session.envelope())) : undefined,
    agents: asked.agents ? (await session.transitions()).filter(({ sequence }) => upTo(sequence)) : undefined,
    work: asked.work ? await readWork(session, record) : undefined,
  })
}

/** The events a few at a time, so that a long log needs no more memory than a short one. */
async function* renderLog(
  session: Session,
  head: number,
  part: EventRange,
  full: boolean,
  { paint }: Output,
): AsyncGenerator<string> {
  const { from, to, turnsBefore } = part
  const width = lineWidth()
  const dim = (text: string) => `\n${paint('dim', wrap(text, width).join('\n'))}`
  yield from > 1 ? dim(`… ${formatEarlier(part)}`) : ''
  for await (const lines of renderTimeline(readPages(session, part), new TurnHeadings(turnsBefore), head, {
    width,
    full,
    paint,
  })) {
    yield lines.join('\n')
  }
  if (to < head) yield dim(`… ${pluralize(head - to, 'more event')}, from ${to + 1} on: --after ${to} shows them`)
}

function formatEarlier({ from, turnsBefore }: EventRange): string {
  const events = `events 1 to ${(from - 1).toLocaleString('en')}`
  if (turnsBefore === undefined) return `${events} come before: --after 0 shows them`
  return `${pluralize(turnsBefore, 'earlier turn')}, ${events}: --turn ${turnsBefore} shows the one before, --after 0 the first ones`
}
