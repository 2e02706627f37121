import { z } from 'zod'
import { defined } from '../../domain/optional.ts'
import type { LiveRun } from '../../domain/record.ts'
import { command } from '../command.ts'
import { PARTIAL_ID_TENANT, tenant } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { findSession } from '../session/find-session.ts'
import { withStore } from '../target.ts'
import { sanitizeLine } from '../text.ts'

export const cancelCommand = command({
  usage: 'cancel <session>',
  summary: 'ask the live run of a session to stop',
  more: [
    'The worker is told within a second, in whatever process it is, and ends the run',
    'as cancelled. The session stays as it is. Without a live run nothing happens.',
    '',
    'Example: throughline cancel 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70 --reason "wrong branch"',
  ].join('\n'),
  options: [PARTIAL_ID_TENANT, { flags: '--reason <text>', description: 'why, for the worker and for the log' }],
  input: z.strictObject({
    session: z.string(),
    tenant,
    reason: z.string().min(1, 'must not be empty').optional(),
  }),

  async run({ session: name, tenant: chosen, reason }, { target, output }) {
    await withStore(target, async (tl) => {
      const session = await findSession(tl, name, chosen)
      const { id, run } = await session.cancel(defined({ reason }))
      output.print(formatCancelled(run, output), defined({ sessionId: id, run }))
    })
  },
})

function formatCancelled(run: LiveRun | undefined, { paint }: Output): string {
  if (run === undefined) return 'No live run.'
  const by = run.worker === undefined ? '' : ` of ${sanitizeLine(run.worker)}`
  return `${paint('green', 'ok')}  asked run ${run.generation}${by} to stop`
}
