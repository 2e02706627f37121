import { z } from 'zod'
import type { Resumed } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import { command } from '../command.ts'
import { nameOption, tenant, USER_TENANT } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { withStore } from '../target.ts'
import { sanitizeLines } from '../text.ts'

export const resumeCommand = command({
  usage: 'resume <conversation>',
  summary: 'show the status of a conversation and what to tell the user',
  more: [
    'Writes nothing, unless the session has expired or was idle beyond the stale',
    'timeout: then it is ended and compacted. SESSION_IDLE_TIMEOUT_SECONDS (24',
    'hours) and SESSION_STALE_TIMEOUT_SECONDS (7 days) set the timeouts.',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'user of the conversation (required)' },
    { flags: '--chatmode <name>', description: 'chatmode of the session (default: "default")' },
    USER_TENANT,
    { flags: '--decline', description: 'the user does not want to continue: end and compact the session' },
  ],
  input: z.strictObject({
    conversation: nameOption(),
    user: nameOption('is required; pass the user of the conversation with --user'),
    chatmode: nameOption().optional(),
    tenant,
    decline: z.boolean().default(false),
  }),

  async run({ conversation, user: userId, chatmode, tenant, decline }, { target, output }) {
    const scope = defined({ userId, chatmode, tenant })
    const resumed = await withStore(target, ({ conversations }) =>
      decline ? conversations.decline(conversation, scope) : conversations.resume(conversation, scope),
    )
    const { plan, session, ended, say } = resumed
    output.print(formatResumed(resumed, output), defined({ plan, sessionId: session?.id, endedId: ended?.id, say }))
  },
})

function formatResumed({ plan, session, ended, say }: Resumed, { paint }: Output): string {
  const about = [`plan ${plan}`, session && `session ${session.id}`, ended && `ended ${ended.id}`]
  return `${sanitizeLines(say)}\n\n${paint('dim', about.filter(Boolean).join(', '))}`
}
