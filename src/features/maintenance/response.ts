import { z } from 'zod'
import type { CacheHealth, Difference, Health, RebuildReport, SweepReport, VerifyReport } from '../../api.ts'
import { anyJson, id, type Keys } from '../../http/response-schema.ts'

const differenceResponse = z
  .strictObject({
    sessionId: id,
    field: z.string().meta({
      description:
        'Path in the views, or damage of the log: `log` (events are missing), `log.checksum` (an event was changed), `log.hash` (the order or times in the range of a commit or summary were).',
    }),
    sequence: z.int().meta({ description: 'The changed event, or the commit or summary.' }).optional(),
    expected: anyJson.meta({ description: 'What the log says, or said when it was written.' }).optional(),
    actual: anyJson.meta({ description: 'What is stored.' }).optional(),
  } satisfies Keys<Difference>)
  .meta({ id: 'Difference' })

export const verifyResponse = z
  .strictObject({
    sessions: z.int(),
    events: z.int(),
    differences: z.array(differenceResponse),
  } satisfies Keys<VerifyReport>)
  .meta({ id: 'VerifyReport' })

export const rebuildResponse = z
  .strictObject({
    sessions: z.int(),
    events: z.int(),
    repaired: z.array(id).meta({ description: 'Sessions whose views were rewritten.' }),
  } satisfies Keys<RebuildReport>)
  .meta({ id: 'RebuildReport' })

const details = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .meta({ description: 'Empty for callers other than the operator.' })

const cacheResponse = z
  .strictObject({
    name: z.string(),
    ok: z.boolean().meta({ description: 'Whether it works. If not, requests go on without it.' }),
    details,
  } satisfies Keys<CacheHealth>)
  .meta({ id: 'CacheHealth' })

export const healthResponse = z
  .strictObject({
    ok: z.literal(true),
    store: z.string(),
    schema: z.int().optional(),
    details,
    cache: cacheResponse.optional(),
  } satisfies Keys<Health>)
  .meta({ id: 'Health' })

export const sweepResponse = z
  .strictObject({
    swept: z.int().meta({ description: 'Sessions that were ended.' }),
    compacted: z.int(),
    failed: z.int().meta({ description: 'Sessions that could not be closed; the next sweep tries again.' }),
    forgotten: z.int().meta({ description: 'Expired memories that were removed.' }),
  } satisfies Keys<SweepReport>)
  .meta({ id: 'SweepReport' })
