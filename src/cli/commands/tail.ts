import { z } from 'zod'
import type { Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { lineWidth } from '../line-width.ts'
import { PARTIAL_ID_TENANT, tenant, wholeNumber } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { onReaderExit } from '../pipe-reader.ts'
import { requireReached } from '../session/event-range.ts'
import { formatEvent } from '../session/event-text.ts'
import { findSession } from '../session/find-session.ts'
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

const DEFAULT_EVENTS = 10

export const tailCommand = command({
  usage: 'tail <session>',
  summary: 'show the last events of a session, then new ones as they are written',
  more: [
    'Shows events of every process that writes to the session. Stops when the',
    'session has ended; press Ctrl-C to stop earlier. --json prints one event per',
    'line.',
    '',
    'Example: throughline tail 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70 --json --after 0',
  ].join('\n'),
  options: [
    PARTIAL_ID_TENANT,
    { flags: '--last <count>', description: `number of events to start with (default: ${DEFAULT_EVENTS})` },
    { flags: '--after <sequence>', description: 'start after this event; 0 starts with the first' },
    { flags: '--full', description: 'do not shorten texts' },
  ],

  input: tailInput,
  async run(options, { target, output }) {
    if (options.after !== undefined && options.last !== undefined) {
      throw new ValidationError('after', 'cannot be combined with --last')
    }
    const stopWatching = onReaderExit(() => process.exit(EXIT.ok))
    try {
      await withStore(target, (tl) => tail(tl, options, output))
    } finally {
      stopWatching()
    }
  },
})

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
  const addCalls = trackToolCalls()
  const style = { width: lineWidth(), full, paint: output.paint }

  const events = followSession(session, begin)
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done) {
      const { status } = next.value
      return output.say(output.paint('dim', `\nThe session has ended (${status.state}). No more events will follow.`))
    }
    const event = next.value
    const text = output.json ? '' : [...turns.above(event, style), ...formatEvent(addCalls(event), style)].join('\n')
    output.print(text, event)
  }
}
