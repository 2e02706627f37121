import { z } from 'zod'
import type { Resumed } from '../../api.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { nameOption, tenant } from '../option-schemas.ts'
import type { Output } from '../output.ts'
import { withStore } from '../target.ts'
import { sanitizeLines } from '../text.ts'

const resumeInput = z.strictObject({
  conversation: nameOption(),
  user: nameOption('is missing: --user says whose conversation it is'),
  chatmode: nameOption().optional(),
  tenant,
  decline: z.boolean().default(false),
})

export const resumeCommand: Command = {
  usage: 'resume <conversation>',
  summary: 'say where a conversation stands, and what to say to its user',
  more: [
    'Writes nothing, unless the session rested beyond the stale timeout or expired: then it is ended and compacted.',
    'SESSION_IDLE_TIMEOUT_SECONDS and SESSION_STALE_TIMEOUT_SECONDS set the timeouts (24 hours, 7 days).',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'whose conversation it is (required)' },
    { flags: '--chatmode <name>', description: 'chatmode of the session (default: "default")' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
    { flags: '--decline', description: 'the user does not want to go on: end and compact the session' },
  ],

  async run(input, { target, output }) {
    const { conversation, user: userId, chatmode, tenant, decline } = parse(resumeInput, input)
    const scope = { userId, ...(chatmode !== undefined && { chatmode }), ...(tenant !== undefined && { tenant }) }
    const resumed = await withStore(target, ({ conversations }) =>
      decline ? conversations.decline(conversation, scope) : conversations.resume(conversation, scope),
    )
    const { plan, session, ended, say } = resumed
    output.print(formatResumed(resumed, output), {
      plan,
      ...(session !== undefined && { sessionId: session.id }),
      ...(ended !== undefined && { endedId: ended.id }),
      say,
    })
    return undefined
  },
}

function formatResumed({ plan, session, ended, say }: Resumed, { paint }: Output): string {
  const about = [
    `plan ${plan}`,
    ...(session === undefined ? [] : [`session ${session.id}`]),
    ...(ended === undefined ? [] : [`ended ${ended.id}`]),
  ]
  return `${sanitizeLines(say)}\n\n${paint('dim', about.join(', '))}`
}
