import { z } from 'zod'
import type { Commit } from '../../api.ts'
import type { CommitKind } from '../../domain/commit.ts'
import { id, type Keys, time } from '../../http/response-schema.ts'

const KINDS = ['normal', 'abandoned', 'stale', 'interrupted'] as const satisfies readonly CommitKind[]

const writtenResponse = z.strictObject({
  path: z.string(),
  hash: z.string().optional(),
  bytes: z.int().optional(),
} satisfies Keys<Commit['filesWritten'][number]>)

const ranResponse = z.strictObject({
  command: z.string(),
  exitCode: z.int().optional(),
} satisfies Keys<Commit['commands'][number]>)

export const commitResponse = z
  .strictObject({
    id,
    sessionId: id,
    parent: id.meta({ description: 'The commit before it in the conversation.' }).optional(),
    position: z.int().meta({ description: '1, 2, 3 … in the conversation.' }),
    kind: z.enum(KINDS),
    task: z.string().optional(),
    summary: z.string(),
    summarizedBy: z.enum(['caller', 'model', 'extractive']).optional(),
    fallback: z.string().meta({ description: 'Why it is an extract although a summarizer is configured.' }).optional(),
    decisions: z.array(z.string()),
    filesRead: z.array(z.string()),
    filesWritten: z.array(writtenResponse),
    commands: z.array(ranResponse),
    openQuestions: z.array(z.string()),
    range: z.strictObject({ from: z.int(), to: z.int() }).optional(),
    hash: z.string().meta({ description: 'SHA-256 of the events in the range.' }).optional(),
    at: time,
    purgedAt: time.meta({ description: 'When its session was purged; the content is gone.' }).optional(),
  } satisfies Keys<Commit>)
  .meta({ id: 'Commit' })
