import { z } from 'zod'
import type { RollbackOptions, RollbackReport, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { formatRollback, type RollbackContext, type RollbackResult } from '../envelope/rollback-report.ts'
import { given } from '../option-schemas.ts'
import { withProgress } from '../progress.ts'
import { hasCache, sameTargetHint, sqlitePath, withStore } from '../target.ts'

const rollbackInput = z.strictObject({
  batch: z.string().optional(),
  since: z.string().optional(),
  yes: z.boolean().default(false),
  resume: z.boolean().default(false),
})

export const rollbackCommand: Command = {
  usage: 'rollback',
  summary: 'take stored envelopes away again: those of a backfill, or since a time',
  more: [
    'Without --yes it only counts, and says what would be done. With --yes it',
    '1 pauses the intake of new sessions, in every process on this store,',
    '2 empties the cache,',
    '3 removes the envelopes from the store,',
    'and says what is left to do. Should it fail or be stopped, the intake stays',
    'paused: run it again.',
    '',
    'Of a backfill, envelopes that others wrote since are left. No log is touched',
    'and so nothing is lost: reads fold envelopes from the logs, and throughline',
    'rebuild stores them again. Sessions that a backfill made stay.',
    '',
    'Example: throughline rollback --since 2026-01-31T09:30:00Z',
    '         throughline rollback --batch first --yes',
  ].join('\n'),
  options: [
    { flags: '--batch <name>', description: 'envelopes of this backfill' },
    { flags: '--since <time>', description: 'envelopes last written at this time or later (ISO 8601)' },
    { flags: '--yes', description: 'do it (default: a dry run)' },
    { flags: '--resume', description: 'resume the intake at the end, if envelopes are to stay in use' },
  ],

  async run(input, { target, output }) {
    const { batch, since, yes, resume } = parse(rollbackInput, input)
    if ((batch === undefined) === (since === undefined)) {
      throw new ValidationError('batch', 'either --batch or --since must say which envelopes')
    }
    const which = given({ batch, since })
    const rolled = await withStore(target, (tl) => (yes ? rollBack(tl, which, resume) : previewRollback(tl, which)))
    const cache = sqlitePath(target.url) === undefined ? (hasCache(target) ? 'named' : 'unnamed') : 'none'
    const around: RollbackContext = { which, resume, cache, hint: sameTargetHint(target) }
    output.print(formatRollback(rolled, around, output), rolled)
    return undefined
  },
}

type Selection = Pick<RollbackOptions, 'batch' | 'since'>

async function previewRollback({ envelopes, intake }: Throughline, which: Selection): Promise<RollbackResult> {
  return { ...(await envelopes.rollback({ ...which, dryRun: true })), intake: await intake.status() }
}

async function rollBack(tl: Throughline, which: Selection, resume: boolean): Promise<RollbackResult> {
  // what is wrong with the input shows before anything is paused
  const { envelopes } = await previewRollback(tl, which)
  // most likely mistyped, and no reason to stop a fleet
  if (envelopes === 0 && which.batch !== undefined) {
    throw new ValidationError('batch', 'names no envelopes that are stored, or others have written them since')
  }
  await tl.intake.pause()
  const report = await remove(tl, which)
  return { ...report, intake: await (resume ? tl.intake.resume() : tl.intake.status()) }
}

async function remove({ envelopes }: Throughline, which: Selection): Promise<RollbackReport> {
  try {
    return await withProgress((tell) =>
      envelopes.rollback({
        ...which,
        onProgress: ({ sessions, of }) =>
          tell(
            () => `removing: ${sessions.toLocaleString('en')} of ${of.toLocaleString('en')} envelopes`,
            of === 0 ? 1 : sessions / of,
          ),
      }),
    )
  } catch (error) {
    // its code and its exit code stay what they are
    if (error instanceof Error) error.message += `; ${STILL_PAUSED}`
    throw error
  }
}

const STILL_PAUSED =
  "the intake stays paused: run it again (with --cache-url '' if the cache is gone for good), or give it up with throughline intake resume"
