import { z } from 'zod'
import type { Progress } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import { name, tenantName } from '../../features/kernel/parse.ts'
import { command } from '../command.ts'
import { formatBackfill } from '../envelope/backfill-report.ts'
import { EXIT } from '../exit-codes.ts'
import { wholeNumber } from '../option-schemas.ts'
import { hasCache, sameTargetHint, withStore } from '../target.ts'
import { pluralize, sanitizeLine } from '../text.ts'

export const backfillCommand = command({
  usage: 'backfill',
  summary: "import sessions and envelopes from another system's event table",
  more: [
    'Reads the columns session_id, occurred_at, id and a JSON payload with role or',
    'type, persona_id, metadata, analysis, tenant, subject, issuer and scope. These',
    'may also be separate columns. If your names differ, create a view and pass',
    'it as --table. The source database is only read.',
    '',
    'The newest event sets persona and analysis. The first event that names them',
    'sets tenant, subject, issuer and scope. Data that does not come from a backfill',
    'is never overwritten.',
    '',
    'Safe to stop and repeat: each session is created once. Use one --batch name for',
    'all runs to roll them back together. For smaller runs, use --limit, then',
    '--after with the last id of the report. Sessions that cannot be imported are',
    `listed and the command exits with ${EXIT.usage}; all others are imported.`,
    '',
    'Example: throughline backfill --from sqlite:old.db --dry-run',
    'To undo: throughline rollback --batch NAME',
  ].join('\n'),
  options: [
    { flags: '--from <url>', description: 'database of the other system: sqlite:PATH or postgres://… (required)' },
    { flags: '--table <name>', description: 'event table or view to read (default: "session_events")' },
    { flags: '--batch <name>', description: 'name for a rollback (default: made from the time)' },
    { flags: '--limit <count>', description: 'number of sessions to read' },
    { flags: '--after <id>', description: 'only sessions after this id' },
    { flags: '--tenant <id>', description: 'tenant for sessions without one (default: "local")' },
    { flags: '--user <id>', description: 'user for sessions without a subject (default: "unknown")' },
    { flags: '--dry-run', description: 'check everything, write nothing' },
  ],
  input: z.strictObject({
    from: z.string('is required; pass the database of the other system with --from').min(1),
    table: z.optional(name()),
    batch: z.optional(name()),
    limit: wholeNumber(1, 999_999_999).optional(),
    after: z.string().optional(),
    tenant: z.optional(tenantName()),
    user: z.optional(name()),
    dryRun: z.boolean().default(false),
  }),

  async run({ from, batch = newBatch(), user: userId, dryRun, limit, ...rest }, { target, output }) {
    const start = performance.now()
    const report = await withStore(
      target,
      ({ envelopes }, show) => {
        const onProgress = (progress: Progress) => {
          if (progress.sessions === 0 && !dryRun) output.say(`Writing batch ${sanitizeLine(batch)}`)
          show(() => progressText(progress), progress.of === 0 ? 1 : progress.sessions / progress.of)
        }
        return envelopes.backfill({ from, batch, dryRun, ...defined({ ...rest, limit, userId }), onProgress })
      },
      { absent: dryRun ? 'memory' : 'create' },
    )
    const seconds = (performance.now() - start) / 1000
    const isPart = report.sessions === limit
    const around = { seconds, isPart, cache: hasCache(target), hint: sameTargetHint(target) }
    output.print(formatBackfill(report, around, output), report)
    return report.failed === 0 ? EXIT.ok : EXIT.usage
  },
})

/** Named before the import starts, so that a stopped backfill can be rolled back. */
const newBatch = () => `backfill-${new Date().toISOString()}`

function progressText({ sessions, of }: Progress): string {
  return `backfilling: ${sessions.toLocaleString('en')} of ${pluralize(of, 'session')}`
}
