import { z } from 'zod'
import type { Forgotten, Throughline } from '../../../api.ts'
import { ValidationError } from '../../../domain/errors.ts'
import { defined } from '../../../domain/optional.ts'
import { reportCommand } from '../../command.ts'
import { nameOption, tenant, USER_TENANT } from '../../option-schemas.ts'
import { pluralize } from '../../text.ts'

const forgetInput = z.strictObject({
  memory: z.string().optional(),
  user: nameOption().optional(),
  tenant,
  source: nameOption().optional(),
  session: nameOption().optional(),
})

export const forgetCommand = reportCommand({
  usage: 'forget [memory]',
  summary: 'permanently delete a memory, or all memories from a source or session',
  more: [
    'Keeps memories that also have other sources, and removes this source from them.',
    '',
    'Example: throughline memory forget 0198c0de-5f0a-7c3e-8a51-3f1d2b4c6e70',
    '         throughline memory forget --user ada --source import:faiss.jsonl',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'owner of the memories; required with --source and --session' },
    USER_TENANT,
    { flags: '--source <name>', description: 'forget what came from this source, such as an import' },
    { flags: '--session <id>', description: 'forget what came from this session' },
  ],

  input: forgetInput,
  work: forget,
  format: formatForgotten,
})

async function forget(tl: Throughline, options: z.output<typeof forgetInput>): Promise<Forgotten> {
  const { memory, user: userId, tenant = 'local', source, session: sessionId } = options
  const { memories } = userId === undefined ? tl : tl.as({ tenant, userId })
  if ([memory, source, sessionId].filter((given) => given !== undefined).length !== 1) {
    throw new ValidationError('memory', 'pass exactly one of: a memory id, --source, --session')
  }
  if (memory !== undefined) return await memories.forget(memory)
  if (userId === undefined) throw new ValidationError('user', 'is required with --source and --session')
  return await memories.forget({ userId, ...defined({ tenant, source, sessionId }) })
}

function formatForgotten({ forgotten, kept }: Forgotten): string {
  const stay = kept === 0 ? '' : `, kept ${pluralize(kept, 'other')} that ${kept === 1 ? 'has' : 'have'} more sources`
  return `forgot ${pluralize(forgotten, 'memory', 'memories')}${stay}`
}
