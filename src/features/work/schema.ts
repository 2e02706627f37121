import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { isLabel, isNode } from '../../domain/work.ts'
import { name, pageSize, text } from '../parse.ts'

const path = text(4096).min(1)

export const noteText = text(LIMITS.note).min(1)

export const fileRead = z.strictObject({ path })

export const fileWrite = z.strictObject({
  path,
  content: text(LIMITS.content).optional(),
  hash: text(LIMITS.name).min(1).optional(),
})

export const command = z.strictObject({
  command: text(LIMITS.note).min(1),
  exitCode: z.int().optional(),
  output: z.string().optional(),
})

const node = text(4200).refine(isNode, "must be a node such as 'file:src/a.ts' or 'task:…'")

const label = z.string().refine(isLabel, "must be a label such as 'dependsOn'")

export const edges = z
  .array(
    z.strictObject({
      from: node,
      label,
      to: node,
      evidence: z
        .strictObject({
          event: z.int().min(1).optional(),
          tool: text(LIMITS.name).min(1).optional(),
          confidence: z.number().min(0).max(1).optional(),
        })
        .optional(),
    }),
  )
  .min(1)
  .max(LIMITS.events)

const count = z.int().min(0)

const ownWords = { id: name.optional(), text: noteText }

/**
 * An observation as it comes over HTTP: as `observe` takes it, or as it is kept, with the hash of a file and how much of an output was left out.
 */
export const observationInput = z
  .discriminatedUnion(
    'kind',
    [
      z.strictObject({ kind: z.literal('note'), ...ownWords }),
      z.strictObject({ kind: z.literal('plan'), ...ownWords }),
      z.strictObject({ kind: z.literal('fileRead'), ...fileRead.shape }),
      z.strictObject({ kind: z.literal('fileWrite'), ...fileWrite.shape, bytes: count.optional() }),
      z.strictObject({ kind: z.literal('command'), ...command.shape, omitted: count.optional() }),
      z.strictObject({ kind: z.literal('relations'), edges }),
    ],
    'must be an observation of the kind note, plan, fileRead, fileWrite, command or relations',
  )
  .meta({ id: 'NewObservation' })

export const graphQuery = z.strictObject({
  node: node.optional(),
  depth: z.int().min(1).max(10).default(1),
  direction: z.enum(['in', 'out', 'both']).default('both'),
  labels: z.array(label).min(1).max(50).optional(),
  limit: pageSize.default(100),
})
