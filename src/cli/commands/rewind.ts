import { z } from 'zod'
import { command } from '../command.ts'
import { PARTIAL_ID_TENANT, tenant, wholeNumber } from '../option-schemas.ts'
import { findSession } from '../session/find-session.ts'
import { withStore } from '../target.ts'

export const rewindCommand = command({
  usage: 'rewind <session> <sequence>',
  summary: 'continue a session from an earlier event',
  more: [
    'Messages, scratchpad, status and agent are as they were right after that event.',
    'The log keeps what came after it as an abandoned branch: rewind to its last event',
    'to return to it.',
  ].join('\n'),
  options: [PARTIAL_ID_TENANT, { flags: '--reason <text>', description: 'why; stored with the rewind' }],
  input: z.strictObject({
    session: z.string(),
    sequence: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    tenant,
    reason: z.string().optional(),
  }),

  async run({ session: name, sequence: to, tenant, reason }, { target, output }) {
    const { before, record } = await withStore(target, async (tl) => {
      const session = await findSession(tl, name, tenant)
      const { head } = await session.record()
      return { before: head, record: await session.rewind(reason === undefined ? { to } : { to, reason }) }
    })
    const text =
      record.head === before
        ? `session ${record.id} already ends with event ${to}`
        : `rewound session ${record.id} to event ${to} (${record.status.state}, agent ${record.activeAgent})\n` +
          `events ${to + 1} to ${record.head - 1} stay in the log`
    output.print(text, record)
  },
})
