import { z } from 'zod'
import type { Forgotten, Throughline } from '../../../api.ts'
import { ValidationError } from '../../../domain/errors.ts'
import { parse } from '../../../features/kernel/parse.ts'
import type { Command } from '../../command.ts'
import { given, nameOption, tenant } from '../../option-schemas.ts'
import { withStore } from '../../target.ts'
import { pluralize } from '../../text.ts'

const forgetInput = z.strictObject({
  memory: z.string().optional(),
  user: nameOption().optional(),
  tenant,
  source: nameOption().optional(),
  session: nameOption().optional(),
})

export const forgetCommand: Command = {
  usage: 'forget [memory]',
  summary: 'remove a memory for good, or all that comes from a source or a session',
  more: [
    'A memory that comes from elsewhere, and was only supported by it, stays without that support.',
    '',
    'Example: throughline memory forget 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70',
    '         throughline memory forget --user ada --source import:faiss.jsonl',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'whose memories; needed with --source or --session' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
    { flags: '--source <name>', description: 'a source outside, such as an import' },
    { flags: '--session <id>', description: 'a session' },
  ],

  async run(input, { target, output }) {
    const options = parse(forgetInput, input)
    const forgotten = await withStore(target, (tl) => forget(tl, options))
    output.print(formatForgotten(forgotten), forgotten)
    return undefined
  },
}

async function forget(tl: Throughline, options: z.output<typeof forgetInput>): Promise<Forgotten> {
  const { memory, user: userId, tenant = 'local', source, session: sessionId } = options
  const { memories } = userId === undefined ? tl : tl.as({ tenant, userId })
  if ([memory, source, sessionId].filter((given) => given !== undefined).length !== 1) {
    throw new ValidationError('memory', 'name one of: the id of a memory, --source, --session')
  }
  if (memory !== undefined) return await memories.forget(memory)
  if (userId === undefined) throw new ValidationError('user', 'is missing: --user says whose memories are meant')
  return await memories.forget({ userId, ...given({ tenant, source, sessionId }) })
}

function formatForgotten({ forgotten, kept }: Forgotten): string {
  const stay = kept === 0 ? '' : `, ${pluralize(kept, 'other')} lost a part of their lineage and stay`
  return `forgot ${pluralize(forgotten, 'memory', 'memories')}${stay}`
}
