import { z } from 'zod'
import type { Graph, GraphEdge, WorkStep } from '../../api.ts'
import type { Edge, Observation } from '../../domain/graph.ts'
import type { NoteKind } from '../../domain/lifecycle.ts'
import { SESSION_STATES } from '../../domain/record.ts'
import { id, type Keys } from '../../http/response-schema.ts'

const NOTE_KINDS = [
  'question',
  'response',
  'intervention',
  'incorporation',
  'proposal',
  'confirmation',
  'continuation',
  'abort',
] as const satisfies readonly NoteKind[]

type Observed<Kind extends Observation['kind']> = Keys<Extract<Observation, { kind: Kind }>>

const edgeResponse = z
  .strictObject({
    from: z.string(),
    label: z.string(),
    to: z.string(),
    evidence: z
      .strictObject({
        event: z.int().optional(),
        tool: z.string().optional(),
        confidence: z.number().optional(),
      } satisfies Keys<NonNullable<Edge['evidence']>>)
      .optional(),
  } satisfies Keys<Edge>)
  .meta({ id: 'Edge' })

const observationResponse = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('note'),
      id: z.string(),
      text: z.string(),
      about: z.enum(NOTE_KINDS).meta({ description: 'The state change it was written with.' }).optional(),
    } satisfies Observed<'note'>),
    z.strictObject({ kind: z.literal('plan'), id: z.string(), text: z.string() } satisfies Observed<'plan'>),
    z.strictObject({ kind: z.literal('fileRead'), path: z.string() } satisfies Observed<'fileRead'>),
    z.strictObject({
      kind: z.literal('fileWrite'),
      path: z.string(),
      hash: z.string().optional(),
      bytes: z.int().optional(),
    } satisfies Observed<'fileWrite'>),
    z.strictObject({
      kind: z.literal('command'),
      command: z.string(),
      exitCode: z.int().optional(),
      output: z.string().optional(),
      omitted: z.int().meta({ description: 'Characters of the output that were not kept.' }).optional(),
    } satisfies Observed<'command'>),
    z.strictObject({ kind: z.literal('relations'), edges: z.array(edgeResponse) } satisfies Observed<'relations'>),
  ])
  .meta({ id: 'Observation' })

export const stepResponse = z
  .strictObject({
    id,
    parents: z.array(id).meta({ description: 'Ids of the work commits it follows.' }),
    kind: z.enum(['step', ...NOTE_KINDS]),
    observations: z.array(observationResponse),
    state: z.enum(SESSION_STATES),
    task: z.string().optional(),
    sequence: z.int().meta({ description: 'Sequence of its event.' }),
  } satisfies Keys<WorkStep>)
  .meta({ id: 'WorkStep' })

const graphEdgeAnswer = z
  .strictObject({
    from: z.string(),
    label: z.string(),
    to: z.string(),
    evidence: z.array(
      z.strictObject({
        sequence: z.int(),
        confidence: z.number(),
        tool: z.string().optional(),
        event: z.int().optional(),
      } satisfies Keys<GraphEdge['evidence'][number]>),
    ),
  } satisfies Keys<GraphEdge>)
  .meta({ id: 'GraphEdge' })

export const graphResponse = z
  .strictObject({
    node: z.string(),
    nodes: z.array(z.string()).meta({ description: 'All nodes of the edges, the requested one first.' }),
    edges: z.array(graphEdgeAnswer),
    truncated: z.boolean().meta({ description: 'Whether there is more.' }),
  } satisfies Keys<Graph>)
  .meta({ id: 'Graph' })

export const progressResponse = z.strictObject({ text: z.string() })
