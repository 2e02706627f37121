import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { isLabel, isNode } from '../../domain/work.ts'
import { pageSize, text } from '../parse.ts'

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

export const graphQuery = z.strictObject({
  node: node.optional(),
  depth: z.int().min(1).max(10).default(1),
  direction: z.enum(['in', 'out', 'both']).default('both'),
  labels: z.array(label).min(1).max(50).optional(),
  limit: pageSize.default(100),
})
