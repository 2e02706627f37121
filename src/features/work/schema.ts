import { z } from 'zod/mini'
import { isLabel, isNode } from '../../domain/graph.ts'
import { LIMITS } from '../../domain/limits.ts'
import { name, pageSize, schema, text } from '../kernel/parse.ts'

const path = schema(() => text(4096).check(z.minLength(1)))

export const noteText = schema(() => text(LIMITS.note).check(z.minLength(1)))

export const fileRead = schema(() => z.strictObject({ path: path() }))

export const fileWrite = schema(() =>
  z.strictObject({
    path: path(),
    content: z.optional(text(LIMITS.content)),
    hash: z.optional(text(LIMITS.name).check(z.minLength(1))),
  }),
)

export const command = schema(() =>
  z.strictObject({
    command: text(LIMITS.note).check(z.minLength(1)),
    exitCode: z.optional(z.int()),
    output: z.optional(z.string()),
  }),
)

const node = schema(() => text(4200).check(z.refine(isNode, "must be a node such as 'file:src/a.ts' or 'task:…'")))

const label = schema(() => z.string().check(z.refine(isLabel, "must be a label such as 'dependsOn'")))

export const edges = schema(() =>
  z
    .array(
      z.strictObject({
        from: node(),
        label: label(),
        to: node(),
        evidence: z.optional(
          z.strictObject({
            event: z.optional(z.int().check(z.minimum(1))),
            tool: z.optional(text(LIMITS.name).check(z.minLength(1))),
            confidence: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
          }),
        ),
      }),
    )
    .check(z.minLength(1), z.maxLength(LIMITS.events)),
)

const count = schema(() => z.int().check(z.minimum(0)))

const ownWords = schema(() => z.strictObject({ id: z.optional(name()), text: noteText() }))

/**
 * An observation as it comes over HTTP: as `observe` takes it, or in stored form, with the hash of a file and the
 * number of characters left out of an output.
 */
export const observationInput = schema(() =>
  z
    .discriminatedUnion(
      'kind',
      [
        z.strictObject({ kind: z.literal('note'), ...ownWords().shape }),
        z.strictObject({ kind: z.literal('plan'), ...ownWords().shape }),
        z.strictObject({ kind: z.literal('fileRead'), ...fileRead().shape }),
        z.strictObject({ kind: z.literal('fileWrite'), ...fileWrite().shape, bytes: z.optional(count()) }),
        z.strictObject({ kind: z.literal('command'), ...command().shape, omitted: z.optional(count()) }),
        z.strictObject({ kind: z.literal('relations'), edges: edges() }),
      ],
      'must be an observation of the kind note, plan, fileRead(), fileWrite(), command() or relations',
    )
    .register(z.globalRegistry, { id: 'NewObservation' }),
)

export const graphQuery = schema(() =>
  z.strictObject({
    node: z.optional(node()),
    depth: z._default(z.int().check(z.minimum(1), z.maximum(10)), 1),
    direction: z._default(z.enum(['in', 'out', 'both']), 'both'),
    labels: z.optional(z.array(label()).check(z.minLength(1), z.maxLength(50))),
    limit: z._default(pageSize(), 100),
  }),
)
