import { z } from 'zod'
import type { StorageSums } from '../../api.ts'
import type { SessionUsage, Usage, UsageSums } from '../../domain/usage.ts'
import { type Keys, pageOf } from '../../http/response-schema.ts'

export const usageResponse = z
  .strictObject({
    model: z.string(),
    inputTokens: z.int().meta({ description: 'All input tokens, cached ones included.' }),
    outputTokens: z.int(),
    cacheReadTokens: z.int().optional(),
    cacheWriteTokens: z.int().optional(),
    costUsd: z.number().optional(),
  } satisfies Keys<Usage>)
  .meta({ id: 'Usage' })

const sums = {
  messages: z.int().meta({ description: 'Number of model calls: events with usage that counts input tokens.' }),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int(),
  cacheWriteTokens: z.int(),
  costUsd: z.number(),
} satisfies Keys<UsageSums>

const sumsResponse = z.strictObject(sums).meta({ id: 'UsageSums' })

export const sessionUsageResponse = z
  .strictObject({
    total: sumsResponse,
    turn: sumsResponse,
  } satisfies Keys<SessionUsage>)
  .meta({ id: 'SessionUsage', description: 'In total, and since the last user message.' })

const name = z.string().optional()

const usageReport = z.strictObject({ userId: name, tenant: name, day: name, model: name, ...sums }).meta({
  id: 'UsageReport',
  description: 'Sums of one user, tenant, day or model, whichever `by` says.',
})

const storageSums = {
  sessions: z.int(),
  events: z.int(),
  memories: z.int(),
  bytes: z.int().meta({ description: 'The text of events and memories in UTF-8, and 256 for each of them.' }),
} satisfies Keys<StorageSums>

const storageReport = z.strictObject({ userId: name, tenant: name, ...storageSums }).meta({
  id: 'StorageReport',
  description: 'What one user or tenant stores, with `storage`.',
})

export const reportResponse = pageOf(z.union([usageReport, storageReport]))
