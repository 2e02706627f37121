import { z } from 'zod'
import { parse } from '../../features/parse.ts'
import type { Command } from '../command.ts'
import { writeLines } from '../output-lines.ts'
import { withLine } from '../progress.ts'
import { withStore } from '../target.ts'
import { counted } from '../text.ts'

const exportInput = z.strictObject({
  cache: z.literal(true, 'is missing: --cache writes the cached envelopes'),
  out: z.string().optional(),
})

export const exportCommand: Command = {
  usage: 'export',
  summary: 'write the envelopes that the cache holds as JSON Lines',
  more: [
    'One envelope a line. May run while others write. What warm --from takes from',
    'it is which sessions were in the cache.',
    '',
    'Example: throughline export --cache --out snapshot.jsonl',
    '         throughline warm --from snapshot.jsonl',
  ].join('\n'),
  options: [
    { flags: '--cache', description: 'the cached envelopes (required)' },
    { flags: '--out <file>', description: 'file to write, in place of one that is there (default: stdout)' },
  ],

  async run(input, { target, output }) {
    const { out } = parse(exportInput, input)
    let written = 0
    await withStore(target, ({ envelopes }) =>
      withLine((tell) =>
        writeLines(envelopes.cached(), out, () => {
          written += 1
          tell(() => `exporting: ${counted(written, 'envelope')}`)
        }),
      ),
    )
    if (out === undefined) return undefined
    output.print(`wrote ${counted(written, 'envelope')} to ${out}`, { file: out, written })
    return undefined
  },
}
