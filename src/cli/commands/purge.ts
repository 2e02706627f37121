import { z } from 'zod'
import type { PurgeReceipt, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { command } from '../command.ts'
import { confirm } from '../confirm.ts'
import { nameOption, tenant, USER_TENANT } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import type { ShowProgress } from '../progress.ts'
import { describeSessionPurge, describeUserPurge, purgeUser } from '../session/purge-user.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

export const purgeCommand = command({
  usage: 'purge [session]',
  summary: 'permanently delete a session, or all data of a user',
  more: [
    'Lists what will be deleted and asks you to confirm. Sessions are deleted one at',
    'a time. If it is interrupted, run it again to delete the rest.',
    '',
    'Example: throughline purge --user ada',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'delete every session and memory of this user' },
    USER_TENANT,
    { flags: '--yes', description: 'do not ask; required without a terminal and with --json' },
  ],
  input: z.strictObject({
    session: z.string().optional(),
    user: nameOption().optional(),
    tenant,
    yes: z.boolean().default(false),
  }),

  async run({ session, user, tenant, yes }, { target, output }) {
    if ((session === undefined) === (user === undefined)) {
      throw new ValidationError('session', 'pass either a session id or --user')
    }
    if (session !== undefined && tenant !== undefined) throw new ValidationError('tenant', 'needs --user')
    const receipt = await withStore(target, (tl, show) =>
      user === undefined
        ? purgeSession(tl, session ?? '', yes, output)
        : purgeAllOfUser(tl, { userId: user, tenant }, yes, output, show),
    )
    output.print(formatReceipt(receipt, output), receipt)
  },
})

async function purgeSession(tl: Throughline, id: string, yes: boolean, output: Output): Promise<PurgeReceipt> {
  // no read first: an unfinished import cannot be read, but can be purged
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
  show: ShowProgress,
): Promise<PurgeReceipt> {
  const { sessions, text } = await describeUserPurge(tl, user)
  await confirm({ warning: text, word: user.userId, yes }, output)
  return await purgeUser(tl, user, (done) =>
    show(() => `purging: ${pluralize(done, 'session')}`, done / Math.max(1, sessions)),
  )
}

function formatReceipt(
  { sessions, events, keys, memories, purgedAt, pending }: PurgeReceipt,
  { paint }: Output,
): string {
  const gone = [
    pluralize(sessions, 'session'),
    pluralize(events, 'event'),
    pluralize(memories, 'memory', 'memories'),
    pluralize(keys, 'idempotency key'),
  ]
  const left = '; a reader keeps older copies in the write-ahead log: run throughline sweep once it has ended'
  return `${paint('green', 'purged')}  ${gone.join(', ')} at ${purgedAt}${pending === true ? left : ''}`
}
