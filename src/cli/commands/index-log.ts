import { z } from 'zod'
import type { IndexReport } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import { reportCommand } from '../command.ts'
import { nameOption, tenant, USER_TENANT } from '../option-schemas.ts'
import { pluralize } from '../text.ts'

export const indexCommand = reportCommand({
  usage: 'index',
  summary: 'update the search index that recall uses',
  more: [
    'Indexing runs in the background. Run this command after large imports or on a',
    'schedule. It also extracts memories from ended sessions. Safe to repeat, and to',
    'run while others write.',
    '',
    'Example: throughline index --user ada',
  ].join('\n'),
  options: [{ flags: '--user <id>', description: 'only sessions of this user' }, USER_TENANT],
  input: z.strictObject({ user: nameOption().optional(), tenant }),

  work: (tl, { user: userId, tenant }, show) =>
    tl.index({ ...defined({ userId, tenant }), onProgress: (done) => show(() => `indexing: ${formatIndexed(done)}`) }),
  format: (report, { paint }) =>
    `${paint('green', 'ok')}  ${report.sessions === 0 ? 'nothing to do' : formatIndexed(report)}`,
})

function formatIndexed({ sessions, messages }: IndexReport): string {
  return `${pluralize(sessions, 'session')}, ${pluralize(messages, 'message')}`
}
