import { z } from 'zod'
import type { Session, Snapshot, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { lineWidth } from '../line-width.ts'
import { given, tenant, wholeNumber } from '../option.ts'
import type { Output } from '../output.ts'
import { sessionNamed, tenantOfPart } from '../session/find.ts'
import { headText, stateSince } from '../session/head.ts'
import { checkReached, EVENTS, LAST_TURNS, type Part, pagesOf, partOf } from '../session/range.ts'
import { Turns, timeline } from '../session/timeline.ts'
import { type Views, viewsText, workAt } from '../session/views.ts'
import { withStore } from '../target.ts'
import { counted, wrapped } from '../text.ts'

const MOST = Number.MAX_SAFE_INTEGER - 1
const flag = z.boolean().default(false)

const showInput = z.strictObject({
  session: z.string(),
  tenant,
  last: wholeNumber(1, MOST).optional(),
  turn: wholeNumber(1, MOST).optional(),
  after: wholeNumber(0, MOST).optional(),
  limit: wholeNumber(1, 10_000).optional(),
  at: wholeNumber(1, MOST).optional(),
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
    tenantOfPart,
    { flags: '--last <count>', description: `the last so many turns (default: ${LAST_TURNS})` },
    { flags: '--turn <number>', description: 'one turn' },
    { flags: '--after <sequence>', description: 'events behind this one' },
    { flags: '--limit <count>', description: `with --after: at most so many (default: ${EVENTS})` },
    { flags: '--at <sequence>', description: 'all as it was right after this event' },
    { flags: '--full', description: 'cut nothing' },
    { flags: '--state', description: 'the scratchpad' },
    { flags: '--envelope', description: 'the envelope' },
    { flags: '--agents', description: 'transitions and handoffs between agents' },
    { flags: '--work', description: 'what was done: decisions, files, commands' },
  ],

  async run(input, { target, output }) {
    const options = parse(showInput, input)
    checkRange(options)
    await withStore(target, async (tl) => show(tl, options, output))
    return undefined
  },
}

function checkRange({ last, turn, after, limit }: Options): void {
  const ranges = Object.entries({ last, turn, after }).filter(([, value]) => value !== undefined)
  const [, second] = ranges
  if (second !== undefined) throw new ValidationError(second[0], `must not be given beside --${ranges[0]?.[0]}`)
  if (limit !== undefined && after === undefined) throw new ValidationError('limit', 'goes with --after')
}

async function show(tl: Throughline, options: Options, output: Output): Promise<void> {
  const session = await sessionNamed(tl, options.session, options.tenant)
  if (options.at !== undefined) checkReached('at', options.at, (await session.record()).head)
  const shot = options.at === undefined ? undefined : await session.at(options.at)
  const record = shot?.record ?? (await session.record())
  const part = await partOf(session, record, given(options))
  if (output.json) {
    const { agents, work, envelope } = await viewsOf(session, options, record, shot)
    const state = shot?.state ?? (await session.state())
    const events: SessionEvent[] = []
    for await (const page of pagesOf(session, part)) events.push(...page)
    return output.print('', { record, state, events, ...given({ envelope, agents, work }) })
  }
  output.say(headText(record, await stateSince(session, record), Date.now(), output))
  if (options.at !== undefined) output.say(output.paint('dim', `\nAs it was right after event ${options.at}.`))
  const views = await viewsOf(session, options, record, shot)
  if (Object.keys(views).length > 0) return output.say(`\n${viewsText(views, output)}`)
  await output.sayAll(logTexts(session, record.head, part, options.full, output))
}

async function viewsOf(session: Session, asked: Options, record: Snapshot['record'], shot?: Snapshot): Promise<Views> {
  const upTo = (sequence: number) => shot === undefined || sequence <= shot.sequence
  return given({
    state: asked.state ? (shot?.state ?? (await session.state())) : undefined,
    envelope: asked.envelope ? (shot?.envelope ?? (await session.envelope())) : undefined,
    agents: asked.agents ? (await session.transitions()).filter(({ sequence }) => upTo(sequence)) : undefined,
    work: asked.work ? await workAt(session, record) : undefined,
  })
}

/** The events a few at a time, so that a long log needs no more memory than a short one. */
async function* logTexts(
  session: Session,
  head: number,
  part: Part,
  full: boolean,
  { paint }: Output,
): AsyncGenerator<string> {
  const { from, to, turnsBefore } = part
  const width = lineWidth()
  const dim = (text: string) => `\n${paint('dim', wrapped(text, width).join('\n'))}`
  yield from > 1 ? dim(`… ${beforeText(part)}`) : ''
  for await (const lines of timeline(pagesOf(session, part), new Turns(turnsBefore), head, { width, full, paint })) {
    yield lines.join('\n')
  }
  if (to < head) yield dim(`… ${counted(head - to, 'more event')}, from ${to + 1} on: --after ${to} shows them`)
}

function beforeText({ from, turnsBefore }: Part): string {
  const events = `events 1 to ${(from - 1).toLocaleString('en')}`
  if (turnsBefore === undefined) return `${events} come before: --after 0 shows them`
  return `${counted(turnsBefore, 'earlier turn')}, ${events}: --turn ${turnsBefore} shows the one before, --after 0 the first ones`
}
