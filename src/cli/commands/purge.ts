import { z } from 'zod'
import type { PurgeReceipt, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { confirm } from '../confirm.ts'
import { nameOption, tenant } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { describeSessionPurge, describeUserPurge, purgeUser } from '../session/purge-user.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

const purgeInput = z.strictObject({
  session: z.string().optional(),
  user: nameOption().optional(),
  tenant,
  yes: z.boolean().default(false),
})

export const purgeCommand: Command = {
  usage: 'purge [session]',
  summary: 'remove a session, or all that is stored of a user, for good',
  more: [
    'Says what will go, and asks. Sessions go one at a time, each with all that is',
    'stored of it; after Ctrl-C or a failure run it again, and it goes on where it',
    'stopped.',
    '',
    'Example: throughline purge --user ada',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'every session and every memory of this user' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
    { flags: '--yes', description: 'do not ask; needed where there is no terminal, and with --json' },
  ],

  async run(input, { target, output }) {
    const { session, user, tenant, yes } = parse(purgeInput, input)
    if ((session === undefined) === (user === undefined)) {
      throw new ValidationError('session', 'name one of: the id of a session, --user')
    }
    if (session !== undefined && tenant !== undefined) throw new ValidationError('tenant', 'goes with --user')
    const receipt = await withStore(target, (tl) =>
      user === undefined
        ? purgeSession(tl, session ?? '', yes, output)
        : purgeAllOfUser(tl, { userId: user, tenant }, yes, output),
    )
    output.print(formatReceipt(receipt, output), receipt)
    return undefined
  },
}

async function purgeSession(tl: Throughline, id: string, yes: boolean, output: Output): Promise<PurgeReceipt> {
  // not looked at before: what is only coming in by an import cannot be, and can be removed
  if (yes) return await tl.sessions.purge(id)
  const session = await tl.sessions.get(id)
  await confirm({ warning: describeSessionPurge(await session.record()), word: session.id.slice(-8), yes }, output)
  return await tl.sessions.purge(session.id)
}

async function purgeAllOfUser(
  tl: Throughline,
  user: { userId: string; tenant: string | undefined },
  yes: boolean,
  output: Output,
): Promise<PurgeReceipt> {
  const { sessions, text } = await describeUserPurge(tl, user)
  await confirm({ warning: text, word: user.userId, yes }, output)
  return await withProgress((tell) =>
    purgeUser(tl, user, (done) => tell(() => `purging: ${pluralize(done, 'session')}`, done / Math.max(1, sessions))),
  )
}

function formatReceipt({ sessions, events, keys, memories, purgedAt }: PurgeReceipt, { paint }: Output): string {
  const gone = [
    pluralize(sessions, 'session'),
    pluralize(events, 'event'),
    pluralize(memories, 'memory', 'memories'),
    pluralize(keys, 'idempotency key'),
  ]
  return `${paint('green', 'purged')}  ${gone.join(', ')} at ${purgedAt}`
}
