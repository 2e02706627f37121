import { z } from 'zod'
import type { IndexReport } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { USER_TENANT } from '../common-options.ts'
import { nameOption, tenant } from '../option-schemas.ts'
import { withProgress } from '../progress.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

const indexInput = z.strictObject({ user: nameOption().optional(), tenant })

export const indexCommand: Command = {
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

  async run(input, { target, output }) {
    const { user: userId, tenant } = parse(indexInput, input)
    const report = await withStore(target, (tl) =>
      withProgress((showProgress) =>
        tl.index({
          ...defined({ userId, tenant }),
          onProgress: (done) => showProgress(() => `indexing: ${formatIndexed(done)}`),
        }),
      ),
    )
    const { sessions } = report
    output.print(`${output.paint('green', 'ok')}  ${sessions === 0 ? 'nothing to do' : formatIndexed(report)}`, report)
  },
}

function formatIndexed({ sessions, messages }: IndexReport): string {
  return `${pluralize(sessions, 'session')}, ${pluralize(messages, 'message')}`
}
