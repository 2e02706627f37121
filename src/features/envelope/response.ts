import { z } from 'zod'
import type { BackfillReport, IntakeStatus, RollbackReport, WarmReport } from '../../api.ts'
import { type Keys, time } from '../../http/response-schema.ts'
import { envelopeSchema } from './schema.ts'

export const envelopeResponse = envelopeSchema().clone().register(z.globalRegistry, { id: 'Envelope' })

/** A cached envelope: values of a legacy system may lack fields. */
export const cachedResponse = z.looseObject({ session_id: z.string() }).meta({ id: 'CachedEnvelope' })

export const intakeResponse = z
  .strictObject({ paused: z.boolean(), since: time.optional() } satisfies Keys<IntakeStatus>)
  .meta({ id: 'IntakeStatus' })

const problemResponse = z.strictObject({
  sessionId: z.string().meta({ description: 'The id in the legacy system.' }),
  problem: z.string(),
  failed: z.boolean(),
} satisfies Keys<BackfillReport['problems'][number]>)

export const backfillResponse = z
  .strictObject({
    batch: z.string(),
    dryRun: z.boolean(),
    sessions: z.int().meta({ description: 'Sessions read.' }),
    created: z.int(),
    updated: z.int().meta({ description: 'Written by an earlier backfill and different since.' }),
    unchanged: z.int(),
    kept: z.int().meta({ description: 'Written by others: left unchanged.' }),
    failed: z.int(),
    problems: z.array(problemResponse).meta({ description: 'The first hundred problems.' }),
    last: z.string().meta({ description: 'Pass it as `after` to continue.' }).optional(),
  } satisfies Keys<BackfillReport>)
  .meta({ id: 'BackfillReport' })

export const rollbackResponse = z
  .strictObject({
    dryRun: z.boolean(),
    envelopes: z.int().meta({ description: 'Removed from the store.' }),
    cached: z.int().meta({ description: 'Removed from the cache.' }).optional(),
  } satisfies Keys<RollbackReport>)
  .meta({ id: 'RollbackReport' })

export const warmResponse = z
  .strictObject({
    sessions: z.int(),
    filled: z.int(),
    present: z.int().meta({ description: 'Already cached.' }),
    unknown: z.int().meta({ description: 'Not in the store.' }),
    failed: z.int().meta({ description: 'Could not be filled.' }),
  } satisfies Keys<WarmReport>)
  .meta({ id: 'WarmReport' })
