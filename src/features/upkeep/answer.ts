import { z } from 'zod'
import type { Difference, Health, RebuildReport, VerifyReport } from '../../api.ts'
import { anyJson, id, type Keys } from '../answer.ts'

const differenceAnswer = z
  .strictObject({
    sessionId: id,
    field: z.string().meta({ description: 'Path in the views, or `log` for a gap in the log itself.' }),
    expected: anyJson.meta({ description: 'What the log says.' }).optional(),
    actual: anyJson.meta({ description: 'What is stored.' }).optional(),
  } satisfies Keys<Difference>)
  .meta({ id: 'Difference' })

export const verifyAnswer = z
  .strictObject({
    sessions: z.int(),
    events: z.int(),
    differences: z.array(differenceAnswer),
  } satisfies Keys<VerifyReport>)
  .meta({ id: 'VerifyReport' })

export const rebuildAnswer = z
  .strictObject({
    sessions: z.int(),
    events: z.int(),
    repaired: z.array(id).meta({ description: 'Sessions whose views were written anew.' }),
  } satisfies Keys<RebuildReport>)
  .meta({ id: 'RebuildReport' })

export const healthAnswer = z
  .strictObject({
    ok: z.literal(true),
    store: z.string(),
    schema: z.int().optional(),
    details: z.record(z.string(), z.union([z.string(), z.number()])),
  } satisfies Keys<Health>)
  .meta({ id: 'Health' })
