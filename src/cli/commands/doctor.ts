import type { Command } from '../command.ts'
import type { Check } from '../doctor/check.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { pluralize } from '../text.ts'

export const doctorCommand: Command = {
  usage: 'doctor',
  summary: 'look whether the store and what it needs are in order',
  more: [
    'Node, the store and its schema, on Postgres the role and the cache, the index,',
    'imports that were broken off, the disk and the clock. Of a server: its version, the',
    'token, and what it says of its store. Makes no database, and changes none.',
    '',
    `Leaves with ${EXIT.found} if a check fails; a warning alone is 0.`,
  ].join('\n'),

  async run(_input, { target, output }) {
    // loaded here: no other command needs all that it looks at
    const { runChecks: examine } = await import('../doctor/run-checks.ts')
    const checks = await examine(target)
    const ok = checks.every(({ status }) => status !== 'fail')
    output.print(formatChecks(checks, output), { ok, checks })
    return ok ? EXIT.ok : EXIT.found
  },
}

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

function formatChecks(checks: readonly Check[], { paint }: Output): string {
  const rows = renderTable(checks, [
    { value: ({ status }) => status, paint: (text, { status }) => paint(COLOURS[status], text) },
    { value: ({ name }) => name, paint: (text) => paint('bold', text) },
    { value: ({ found }) => found },
  ])
  const wanting = checks.filter(({ status }) => status !== 'ok')
  if (wanting.length === 0) return `${rows}\n\nAll is in order.`
  const advice = renderTable(wanting, [
    { value: ({ name }) => name, paint: (text) => paint('bold', text) },
    { value: ({ advice: what = '' }) => what },
  ])
  return `${rows}\n\n${pluralize(wanting.length, 'check')} to look after:\n${advice}`
}
