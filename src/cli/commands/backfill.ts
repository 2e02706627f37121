import { z } from 'zod'
import type { BackfillOptions, Progress, Throughline } from '../../api.ts'
import { name, parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { formatBackfill } from '../envelope/backfill-report.ts'
import { EXIT } from '../exit-codes.ts'
import { given, wholeNumber } from '../option-schemas.ts'
import { withProgress } from '../progress.ts'
import { hasCache, sameTargetHint, withStore } from '../target.ts'
import { pluralize, sanitizeLine } from '../text.ts'

const backfillInput = z.strictObject({
  from: z.string('is missing: --from says which database holds the older sessions').min(1),
  table: z.optional(name()),
  batch: z.optional(name()),
  limit: wholeNumber(1, 999_999_999).optional(),
  after: z.string().optional(),
  tenant: z.optional(name()),
  user: z.optional(name()),
  dryRun: z.boolean().default(false),
})

export const backfillCommand: Command = {
  usage: 'backfill',
  summary: "make sessions and envelopes of those in an older system's table of events",
  more: [
    'Reads session_id, occurred_at, id, and a payload of JSON: role or type,',
    'persona_id, metadata, analysis, tenant, subject, issuer, scope. These may be',
    'columns of their own instead. Where the names are others, make a view with',
    'these and give it as --table. Nothing is written there.',
    '',
    'For persona and analysis the newest event wins, for the identity (tenant,',
    'subject, issuer, scope) the first that names it. What a session that is',
    'here already got from others than a backfill is kept.',
    '',
    'It can be stopped at any time and run again: each session is made once. Give',
    'all runs the same --batch to roll them back together. To go in parts, use',
    '--limit, and --after with the last of the report before. Sessions that cannot',
    `be taken are listed, and it leaves with ${EXIT.usage}; the others are in.`,
    '',
    'Example: throughline backfill --from sqlite:old.db --dry-run',
    'Rollback: throughline rollback --batch NAME',
  ].join('\n'),
  options: [
    { flags: '--from <url>', description: 'database of the older system: sqlite:PATH or postgres://… (required)' },
    { flags: '--table <name>', description: 'its table or view of events (default: "session_events")' },
    { flags: '--batch <name>', description: 'name to roll it back by (default: made from the time)' },
    { flags: '--limit <count>', description: 'look at so many sessions at most' },
    { flags: '--after <id>', description: 'look only at sessions behind this id' },
    { flags: '--tenant <id>', description: 'tenant of sessions that name none (default: "local")' },
    { flags: '--user <id>', description: 'user of sessions that name no subject (default: "unknown")' },
    { flags: '--dry-run', description: 'look at everything, write nothing' },
  ],

  async run(input, { target, output }) {
    const { from, batch = newBatch(), user: userId, dryRun, limit, ...rest } = parse(backfillInput, input)
    const start = performance.now()
    const work = (tl: Throughline) =>
      withProgress((tell) => {
        const onProgress: BackfillOptions['onProgress'] = (progress) => {
          if (progress.sessions === 0 && !dryRun) output.say(`Writing batch ${sanitizeLine(batch)}`)
          tell(() => progressText(progress), progress.of === 0 ? 1 : progress.sessions / progress.of)
        }
        return tl.envelopes.backfill({ from, batch, dryRun, ...given({ ...rest, limit, userId }), onProgress })
      })
    const report = await withStore(target, work, { absent: dryRun ? 'memory' : 'make' })
    const seconds = (performance.now() - start) / 1000
    const isPart = report.sessions === limit
    const around = { seconds, isPart, cache: hasCache(target), hint: sameTargetHint(target) }
    output.print(formatBackfill(report, around, output), report)
    return report.failed === 0 ? EXIT.ok : EXIT.usage
  },
}

/** Made here, so that it is known before the end: what was stopped can be undone too. */
const newBatch = () => `backfill-${new Date().toISOString()}`

function progressText({ sessions, of }: Progress): string {
  return `backfilling: ${sessions.toLocaleString('en')} of ${pluralize(of, 'session')}`
}
