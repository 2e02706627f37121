import type { Command } from '../command.ts'
import type { Check } from '../doctor/check.ts'
import { clockCheck, folderChecks, nodeCheck } from '../doctor/machine.ts'
import { storeChecks } from '../doctor/store.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { table } from '../table.ts'
import { sqliteFile } from '../target.ts'
import { counted } from '../text.ts'

export const doctorCommand: Command = {
  usage: 'doctor',
  summary: 'look whether the store and what it needs are in order',
  more: `Makes no database. Leaves with ${EXIT.found} if a check fails; a warning alone is 0.`,

  async run(_input, { target, output }) {
    const file = sqliteFile(target.url)
    const checks = [
      nodeCheck(),
      ...(await storeChecks(target)),
      ...(file === undefined ? [clockCheck()] : await folderChecks(file)),
    ]
    const ok = checks.every(({ status }) => status !== 'fail')
    output.print(checksText(checks, output), { ok, checks })
    return ok ? EXIT.ok : EXIT.found
  },
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function checksText(checks: readonly Check[], { paint }: Output): string {
  const rows = table(checks, [
    { value: ({ status }) => status, paint: (text, { status }) => paint(COLOURS[status], text) },
    { value: ({ name }) => name, paint: (text) => paint('bold', text) },
    { value: ({ found }) => found },
  ])
  const wanting = checks.filter(({ status }) => status !== 'ok')
  if (wanting.length === 0) return `${rows}\n\nAll is in order.`
  const advice = wanting.map(({ name, advice: what = '' }) => `  ${name}: ${what}`)
  return `${rows}\n\n${counted(wanting.length, 'check')} to look after:\n${advice.join('\n')}`
}
