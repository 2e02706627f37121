import { z } from 'zod'
import type { RunRecord, ScheduledWake } from '../../api.ts'
import { RUN_OUTCOMES, STOP_REASONS } from '../../domain/run.ts'
import { anyJson, id, type Keys, time } from '../../http/response-schema.ts'
import type { RunGrant } from './hold-run.ts'
import type { Stop } from './stop.ts'

export const grantResponse = z
  .strictObject({
    sessionId: id,
    runId: id,
    generation: z.int().meta({ description: 'Send it in the header Throughline-Run with every write of the run.' }),
    ttlMs: z.int(),
  } satisfies Keys<RunGrant>)
  .meta({ id: 'RunGrant' })

export const stopResponse = z
  .strictObject({ reason: z.enum(STOP_REASONS), note: z.string().optional() } satisfies Keys<Stop>)
  .meta({ id: 'RunStop', description: 'Why the run has to stop.' })

export const runResponse = z
  .strictObject({
    id,
    generation: z.int(),
    worker: z.string().optional(),
    startedAt: time,
    sequence: z.int().meta({ description: 'Of its event run_started.' }),
    finishedAt: time.optional(),
    outcome: z.enum(RUN_OUTCOMES).optional(),
    note: z.string().optional(),
  } satisfies Keys<RunRecord>)
  .meta({ id: 'Run' })

export const stepResponse = z.strictObject({ result: anyJson.optional() })

export const wakeResponse = z
  .strictObject({
    id,
    at: time,
    key: z.string().optional(),
    prompt: z.string().optional(),
  } satisfies Keys<ScheduledWake>)
  .meta({ id: 'Wake' })
