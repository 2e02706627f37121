import { z } from 'zod'
import type { ContextResult, Reduced } from '../../api.ts'
import { OMISSION_REASONS } from '../../domain/context/context.ts'
import { anyJson, type Keys } from '../../http/response-schema.ts'
import { messageResponse } from '../messages/response.ts'
import { recallItemResponse } from '../recall/response.ts'

export const contextResponse = z
  .strictObject({
    messages: z.union([z.array(messageResponse), anyJson]).meta({ description: 'In the requested format.' }),
    tokens: z.int(),
    sections: z
      .array(
        z.strictObject({
          section: z.enum(['task', 'scratchpad', 'earlier', 'memories', 'reduced', 'children', 'window']),
          count: z.int().meta({ description: 'Number of items: messages, summaries, memories.' }),
          tokens: z.int(),
        } satisfies Keys<ContextResult<unknown>['sections'][number]>),
      )
      .meta({ description: 'Where the tokens went, in order.' }),
    omitted: z
      .array(
        z.strictObject({
          section: z.string(),
          count: z.int(),
          reason: z.enum(OMISSION_REASONS),
          sequences: z
            .array(z.strictObject({ from: z.int(), to: z.int() }))
            .meta({ description: 'Positions in the log.' })
            .optional(),
        } satisfies Keys<ContextResult<unknown>['omitted'][number]>),
      )
      .meta({ description: 'What was left out, and why.' }),
    dangling: z.array(z.string()).meta({ description: 'Ids of tool calls at the end that have no result yet.' }),
    recalled: z.array(recallItemResponse).meta({ description: 'Recalled items that fit, best first.' }).optional(),
  } satisfies Keys<ContextResult<unknown>>)
  .meta({ id: 'ContextResult' })

export const reducedResponse = z
  .strictObject({
    strategy: z.enum(['window', 'truncate', 'summarize']),
    messages: z.array(messageResponse),
    tokens: z.int(),
    summary: z.string().optional(),
    range: z.strictObject({ from: z.int(), to: z.int() }).optional(),
    hash: z.string().meta({ description: 'SHA-256 of the events in the range.' }).optional(),
  } satisfies Keys<Reduced>)
  .meta({ id: 'Reduced' })
