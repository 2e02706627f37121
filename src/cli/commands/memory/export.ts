import { z } from 'zod'
import type { ListMemories, Memories } from '../../../api.ts'
import { LIMITS } from '../../../domain/limits.ts'
import { isCurrent, type Memory } from '../../../domain/memory/memory.ts'
import { parse } from '../../../features/kernel/parse.ts'
import type { Command } from '../../command.ts'
import { given, tenant, user } from '../../option-schemas.ts'
import { withProgress } from '../../progress.ts'
import { withStore } from '../../target.ts'
import { pluralize } from '../../text.ts'
import { writeLines } from '../../write-lines.ts'

const exportInput = z.strictObject({ user, tenant, out: z.string().optional() })

export const exportCommand: Command = {
  usage: 'export',
  summary: 'write the memories of a user as JSON Lines, which import reads back',
  more: [
    'One memory a line, as the library gives it, without those that expired or',
    'were superseded. An import keeps id, content, category, scope, confidence and',
    'metadata; the lineage stays behind, since the sessions it names are in this',
    'store alone.',
    '',
    'Example: throughline memory export --user ada --out ada.jsonl',
    '         throughline memory import ada.jsonl --user ada --url postgres://…',
  ].join('\n'),
  options: [
    { flags: '--user <id>', description: 'whose memories (required)' },
    { flags: '--tenant <id>', description: 'tenant of the user (default: "local")' },
    { flags: '--out <file>', description: 'file to write, in place of one that is there (default: stdout)' },
  ],

  async run(input, { target, output }) {
    const { user: userId, tenant, out } = parse(exportInput, input)
    let written = 0
    await withStore(target, ({ memories }) =>
      withProgress(async (tell) => {
        await writeLines(listCurrent(memories, { userId, ...given({ tenant }) }), out, () => {
          written += 1
          tell(() => `exporting: ${pluralize(written, 'memory', 'memories')}`)
        })
      }),
    )
    if (out === undefined) return undefined
    output.print(`wrote ${pluralize(written, 'memory', 'memories')} to ${out}`, { file: out, written })
    return undefined
  },
}

/** Every memory of the user that may be given out. */
async function* listCurrent(memories: Memories, whose: Omit<ListMemories, 'limit' | 'cursor'>): AsyncGenerator<Memory> {
  const now = new Date().toISOString()
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await memories.list({ ...whose, limit: LIMITS.page, ...given({ cursor }) })
    for (const memory of items) if (isCurrent(memory, now)) yield memory
    if (nextCursor === undefined) return
    cursor = nextCursor
  }
}
