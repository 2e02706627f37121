import { z } from 'zod'
import type { Session, Snapshot, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { defined } from '../../domain/optional.ts'
import { command } from '../command.ts'
import { lineWidth } from '../line-width.ts'
import { PARTIAL_ID_TENANT, tenant, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { formatChildren, readChildren } from '../session/children-tree.ts'
import {
  DEFAULT_EVENTS,
  DEFAULT_TURNS,
  type EventRange,
  readPages,
  requireReached,
  resolveRange,
} from '../session/event-range.ts'
import { findSession } from '../session/find-session.ts'
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

export const showCommand = command({
  usage: 'show <session>',
  summary: 'show the state of a session and its events, turn by turn',
  more: [
    'The number before each event is its sequence, for --at and --after. The first',
    'or last 8 characters of the id are enough if the session is among the 500 most',
    'recent ones of the tenant.',
    '',
    '--state, --envelope, --agents and --work show that view instead of the turns.',
    '--json prints {"record":…,"state":…,"events":[…]}, the sub-agents as "children",',
    'and the views you ask for.',
    '',
    'Example: throughline show 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70 --last 3',
  ].join('\n'),
  options: [
    PARTIAL_ID_TENANT,
    { flags: '--last <count>', description: `number of most recent turns (default: ${DEFAULT_TURNS})` },
    { flags: '--turn <number>', description: 'only this turn' },
    { flags: '--after <sequence>', description: 'events after this one' },
    { flags: '--limit <count>', description: `with --after: number of events (default: ${DEFAULT_EVENTS})` },
    { flags: '--at <sequence>', description: 'the session as of this event' },
    { flags: '--full', description: 'do not shorten texts' },
    { flags: '--state', description: 'show the scratchpad' },
    { flags: '--envelope', description: 'show the envelope' },
    { flags: '--agents', description: 'show transitions and handoffs between agents' },
    { flags: '--work', description: 'show the work done: decisions, files, commands' },
  ],

  input: showInput,
  async run(options, { target, output }) {
    requireOneRange(options)
    await withStore(target, async (tl) => show(tl, options, output))
  },
})

function requireOneRange({ last, turn, after, limit }: Options): void {
  const ranges = Object.entries({ last, turn, after }).filter(([, value]) => value !== undefined)
  const [, second] = ranges
  if (second !== undefined) throw new ValidationError(second[0], `cannot be combined with --${ranges[0]?.[0]}`)
  if (limit !== undefined && after === undefined) throw new ValidationError('limit', 'needs --after')
}

async function show(tl: Throughline, options: Options, output: Output): Promise<void> {
  const session = await findSession(tl, options.session, options.tenant)
  if (options.at !== undefined) requireReached('at', options.at, (await session.record()).head)
  const shot = options.at === undefined ? undefined : await session.at(options.at)
  const record = shot?.record ?? (await session.record())
  const part = await resolveRange(session, record, defined(options))
  if (output.json) {
    const { agents, work, envelope } = await readViews(session, options, record, shot)
    const state = shot?.state ?? (await session.state())
    const events: SessionEvent[] = []
    for await (const page of readPages(session, part)) events.push(...page)
    const children = await readChildren(tl, record)
    const below = children.length > 0 && { children }
    return output.print('', { record, state, events, ...defined({ envelope, agents, work }), ...below })
  }
  output.say(formatHeader(record, await findStateSince(session, record), Date.now(), output))
  if (options.at !== undefined) output.say(output.paint('dim', `\nAs of event ${options.at}.`))
  const children = await readChildren(tl, record)
  if (children.length > 0) output.say(`\n${formatChildren(children)}`)
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
  return defined({
    state: asked.state ? (shot?.state ?? (await session.state())) : undefined,
    envelope: asked.envelope ? (shot?.envelope ?? (await session.envelope())) : undefined,
    agents: asked.agents ? (await session.transitions()).filter(({ sequence }) => upTo(sequence)) : undefined,
    work: asked.work ? await readWork(session, record) : undefined,
  })
}

/** Renders the events in chunks, so that a long log needs no more memory than a short one. */
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
  if (to < head) yield dim(`… ${pluralize(head - to, 'more event')}: show them with --after ${to}`)
}

function formatEarlier({ from, turnsBefore }: EventRange): string {
  const events = `events 1 to ${(from - 1).toLocaleString('en')}`
  if (turnsBefore === undefined) return `${events} not shown: show them with --after 0`
  return `${pluralize(turnsBefore, 'earlier turn')} (${events}): show the previous one with --turn ${turnsBefore}, or all with --after 0`
}
