import { z } from 'zod'
import type { RollbackOptions, RollbackReport, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { defined } from '../../domain/optional.ts'
import { command } from '../command.ts'
import { formatRollback, type RollbackContext, type RollbackResult } from '../envelope/rollback-report.ts'
import type { ShowProgress } from '../progress.ts'
import { hasCache, sameTargetHint, sqlitePath, withStore } from '../target.ts'

export const rollbackCommand = command({
  usage: 'rollback',
  summary: 'remove stored envelopes by backfill or by time',
  more: [
    'Without --yes it prints the plan and changes nothing. With --yes it',
    '1 pauses the intake of new sessions in every process on this store,',
    '2 empties the cache,',
    '3 removes the envelopes from the store,',
    'and prints the remaining steps.',
    '',
    'If it fails, the intake stays paused; run the same command again.',
    '',
    'With --batch, envelopes that were rewritten since the backfill are kept. Logs',
    'are not touched and nothing is lost: envelopes are computed from the logs, and',
    'throughline rebuild stores them again. Sessions created by a backfill stay.',
    '',
    'Example: throughline rollback --since 2026-01-31T09:30:00Z',
    '         throughline rollback --batch first --yes',
  ].join('\n'),
  options: [
    { flags: '--batch <name>', description: 'envelopes of this backfill' },
    { flags: '--since <time>', description: 'envelopes last written at or after this time (ISO 8601)' },
    { flags: '--yes', description: 'remove them (default: dry run)' },
    { flags: '--resume', description: 'resume the intake of new sessions afterwards' },
  ],
  input: z.strictObject({
    batch: z.string().optional(),
    since: z.string().optional(),
    yes: z.boolean().default(false),
    resume: z.boolean().default(false),
  }),

  async run({ batch, since, yes, resume }, { target, output }) {
    if ((batch === undefined) === (since === undefined)) {
      throw new ValidationError('batch', 'pass either --batch or --since to select envelopes')
    }
    const which = defined({ batch, since })
    const rolled = await withStore(target, (tl, show) =>
      yes ? rollBack(tl, which, resume, show) : previewRollback(tl, which),
    )
    const cache = sqlitePath(target.url) === undefined ? (hasCache(target) ? 'named' : 'unnamed') : 'none'
    const around: RollbackContext = { which, resume, cache, hint: sameTargetHint(target) }
    output.print(formatRollback(rolled, around, output), rolled)
  },
})

type Selection = Pick<RollbackOptions, 'batch' | 'since'>

async function previewRollback({ envelopes, intake }: Throughline, which: Selection): Promise<RollbackResult> {
  return { ...(await envelopes.rollback({ ...which, dryRun: true })), intake: await intake.status() }
}

async function rollBack(
  tl: Throughline,
  which: Selection,
  resume: boolean,
  show: ShowProgress,
): Promise<RollbackResult> {
  // reports invalid input before anything is paused
  const { envelopes } = await previewRollback(tl, which)
  // most likely a typo: do not pause the intake for it
  if (envelopes === 0 && which.batch !== undefined) {
    throw new ValidationError('batch', 'has no stored envelopes, or they were rewritten since')
  }
  await tl.intake.pause()
  const report = await remove(tl, which, show)
  return { ...report, intake: await (resume ? tl.intake.resume() : tl.intake.status()) }
}

async function remove({ envelopes }: Throughline, which: Selection, show: ShowProgress): Promise<RollbackReport> {
  try {
    return await envelopes.rollback({
      ...which,
      onProgress: ({ sessions, of }) => {
        const text = () => `removing: ${sessions.toLocaleString('en')} of ${of.toLocaleString('en')} envelopes`
        show(text, of === 0 ? 1 : sessions / of)
      },
    })
  } catch (error) {
    // keeps the error code and the exit code
    if (error instanceof Error) error.message += `; ${STILL_PAUSED}`
    throw error
  }
}

const STILL_PAUSED =
  "the intake is still paused: run this command again (with --cache-url '' if the cache is gone), or cancel with throughline intake resume"
