import { z } from 'zod'
import type { IndexReport } from '../../api.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { given, nameOption, tenant } from '../option-schemas.ts'
import { withProgress } from '../progress.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

const indexInput = z.strictObject({ user: nameOption().optional(), tenant })

export const indexCommand: Command = {
  usage: 'index',
  summary: 'bring the index of words, which recall looks in, up to date with the logs',
  more: [
    'It happens by itself in quiet moments: run it after much was written, or on a',
    'schedule. It also gathers memories from sessions that have ended. Others may',
    'write in the meantime. After a failure, run it again.',
    '',
    'Example: throughline index --user ada',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'only the sessions of this user' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
  ],

  async run(input, { target, output }) {
    const { user: userId, tenant } = parse(indexInput, input)
    const report = await withStore(target, (tl) =>
      withProgress((tell) =>
        tl.index({
          ...given({ userId, tenant }),
          onProgress: (done) => tell(() => `indexing: ${formatIndexed(done)}`),
        }),
      ),
    )
    const { sessions } = report
    output.print(`${output.paint('green', 'ok')}  ${sessions === 0 ? 'nothing to do' : formatIndexed(report)}`, report)
    return undefined
  },
}

function formatIndexed({ sessions, messages }: IndexReport): string {
  return `${pluralize(sessions, 'session')}, ${pluralize(messages, 'message')}`
}
