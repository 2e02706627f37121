import { z } from 'zod'
import type { Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { lineWidth } from '../line-width.ts'
import { tenant, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { onReaderExit } from '../pipe-reader.ts'
import { requireReached } from '../session/event-range.ts'
import { formatEvent } from '../session/event-text.ts'
import { findSession, partialIdTenantOption } from '../session/find-session.ts'
import { followSession } from '../session/follow-session.ts'
import { TurnHeadings } from '../session/timeline.ts'
import { trackToolCalls } from '../session/tool-calls.ts'
import { withStore } from '../target.ts'

const MAX_SEQUENCE = Number.MAX_SAFE_INTEGER - 1

const tailInput = z.strictObject({
  session: z.string(),
  tenant,
  after: wholeNumber(0, MAX_SEQUENCE).optional(),
  last: wholeNumber(0, MAX_SEQUENCE).optional(),
  full: z.boolean().default(false),
})

type Options = z.output<typeof tailInput>

/** Events that are shown at first where nobody says how many. */
const DEFAULT_EVENTS = 10

export const tailCommand: Command = {
  usage: 'tail <session>',
  summary: 'show the last events of a session, then each new one as it is written',
  more: [
    'Whichever process writes them. It ends by itself once the session has ended',
    'and all was shown; Ctrl-C leaves before that. --json prints one event a line.',
    '',
    'Example: throughline tail 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70 --json --after 0',
  ].join('\n'),
  options: [
    partialIdTenantOption,
    { flags: '--last <count>', description: `begin with the last so many events (default: ${DEFAULT_EVENTS})` },
    { flags: '--after <sequence>', description: 'begin behind this event; 0: with the first one' },
    { flags: '--full', description: 'cut nothing' },
  ],

  async run(input, { target, output }) {
    const options = parse(tailInput, input)
    if (options.after !== undefined && options.last !== undefined) {
      throw new ValidationError('after', 'must not be given beside --last')
    }
    const unwatch = onReaderExit(() => process.exit(EXIT.ok))
    try {
      await withStore(target, (tl) => tail(tl, options, output))
    } finally {
      unwatch()
    }
    return undefined
  },
}

async function tail(
  tl: Throughline,
  { session: name, tenant, after, last = DEFAULT_EVENTS, full }: Options,
  output: Output,
): Promise<void> {
  const session = await findSession(tl, name, tenant)
  const { head } = await session.record()
  requireReached('after', after, head)
  const begin = after ?? Math.max(0, head - last)
  const turns = new TurnHeadings(begin === 0 ? 0 : undefined)
  const told = trackToolCalls()
  const look = { width: lineWidth(), full, paint: output.paint }

  const events = followSession(session, begin)
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done) {
      const { status } = next.value
      return output.say(output.paint('dim', `\nThe session has ended (${status.state}): that was all.`))
    }
    const event = next.value
    const text = output.json ? '' : [...turns.above(event, look), ...formatEvent(told(event), look)].join('\n')
    output.print(text, event)
  }
}
