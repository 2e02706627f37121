import { z } from 'zod'
import type { ListMemories, Memories } from '../../../api.ts'
import { isCurrent, type Memory } from '../../../domain/memory/memory.ts'
import { defined } from '../../../domain/optional.ts'
import { command } from '../../command.ts'
import { listAll } from '../../list-all.ts'
import { MEMORY_OWNER, OUT_FILE, tenant, USER_TENANT, user } from '../../option-schemas.ts'
import { withStore } from '../../target.ts'
import { pluralize } from '../../text.ts'
import { writeJsonLines } from '../../write-lines.ts'

export const exportCommand = command({
  usage: 'export',
  summary: 'export the memories of a user as JSON Lines for memory import',
  more: [
    'Writes one memory per line and skips expired and superseded ones. memory import',
    'keeps id, content, category, scope, confidence and metadata. It drops the',
    'lineage, because the sessions it names exist in this store only.',
    '',
    'Example: throughline memory export --user ada --out ada.jsonl',
    '         throughline memory import ada.jsonl --user ada --url postgres://…',
  ].join('\n'),
  options: [MEMORY_OWNER, USER_TENANT, OUT_FILE],
  input: z.strictObject({ user, tenant, out: z.string().optional() }),

  async run({ user: userId, tenant, out }, { target, output }) {
    let written = 0
    await withStore(target, ({ memories }, show) =>
      writeJsonLines(listCurrent(memories, { userId, ...defined({ tenant }) }), out, () => {
        written += 1
        show(() => `exporting: ${pluralize(written, 'memory', 'memories')}`)
      }),
    )
    if (out !== undefined) {
      output.print(`wrote ${pluralize(written, 'memory', 'memories')} to ${out}`, { file: out, written })
    }
  },
})

/** Every memory of the user that is neither expired nor superseded. */
async function* listCurrent(memories: Memories, whose: Omit<ListMemories, 'limit' | 'cursor'>): AsyncGenerator<Memory> {
  const now = new Date().toISOString()
  const all = listAll((page) => memories.list({ ...whose, ...page }))
  for await (const memory of all) if (isCurrent(memory, now)) yield memory
}
