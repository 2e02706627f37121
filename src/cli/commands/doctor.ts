import type { Command } from '../command.ts'
import type { Check } from '../doctor/check.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { pluralize } from '../text.ts'

export const doctorCommand: Command = {
  usage: 'doctor',
  summary: 'check the store and everything it needs',
  more: [
    'Checks Node.js, the store and its schema, the search index, unfinished imports,',
    'disk and clock; on Postgres also the role and the cache; on a server its',
    'version, your token and its store. Changes nothing and creates no database.',
    '',
    `Exits with ${EXIT.found} if a check fails. Warnings alone exit with 0.`,
  ].join('\n'),

  async run(_input, { target, output }) {
    // loaded on first use: other commands do not need the drivers it checks
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
  const problems = checks.filter(({ status }) => status !== 'ok')
  if (problems.length === 0) return `${rows}\n\nAll checks passed.`
  const advice = renderTable(problems, [
    { value: ({ name }) => name, paint: (text) => paint('bold', text) },
    { value: ({ advice: what = '' }) => what },
  ])
  return `${rows}\n\n${pluralize(problems.length, 'check')} to fix:\n${advice}`
}
