import { z } from 'zod'
import type { Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { lineWidth } from '../line-width.ts'
import { tenant, wholeNumber } from '../option.ts'
import type { Output } from '../output.ts'
import { whenReaderLeaves } from '../pipe-reader.ts'
import { followedCalls } from '../session/calls.ts'
import { eventLines } from '../session/event-lines.ts'
import { sessionNamed, tenantOfPart } from '../session/find.ts'
import { untilEnded } from '../session/follow.ts'
import { checkReached } from '../session/range.ts'
import { Turns } from '../session/timeline.ts'
import { withStore } from '../target.ts'

const MOST = Number.MAX_SAFE_INTEGER - 1

const tailInput = z.strictObject({
  session: z.string(),
  tenant,
  after: wholeNumber(0, MOST).optional(),
  last: wholeNumber(0, MOST).optional(),
  full: z.boolean().default(false),
})

type Options = z.output<typeof tailInput>

/** Events that are shown at first where nobody says how many. */
const LAST = 10

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
    tenantOfPart,
    { flags: '--last <count>', description: `begin with the last so many events (default: ${LAST})` },
    { flags: '--after <sequence>', description: 'begin behind this event; 0: with the first one' },
    { flags: '--full', description: 'cut nothing' },
  ],

  async run(input, { target, output }) {
    const options = parse(tailInput, input)
    if (options.after !== undefined && options.last !== undefined) {
      throw new ValidationError('after', 'must not be given beside --last')
    }
    const unwatch = whenReaderLeaves(() => process.exit(EXIT.ok))
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
  { session: name, tenant, after, last = LAST, full }: Options,
  output: Output,
): Promise<void> {
  const session = await sessionNamed(tl, name, tenant)
  const { head } = await session.record()
  checkReached('after', after, head)
  const begin = after ?? Math.max(0, head - last)
  const turns = new Turns(begin === 0 ? 0 : undefined)
  const told = followedCalls()
  const look = { width: lineWidth(), full, paint: output.paint }

  const events = untilEnded(session, begin)
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done) {
      const { status } = next.value
      return output.say(output.paint('dim', `\nThe session has ended (${status.state}): that was all.`))
    }
    const event = next.value
    const text = output.json ? '' : [...turns.above(event, look), ...eventLines(told(event), look)].join('\n')
    output.print(text, event)
  }
}
