import { z } from 'zod'
import type { ExportedEvent, ExportOptions, ExportPlace, ImportOptions } from '../../api.ts'
import { APPENDABLE_TYPES, RECORDED_TYPES, ROLES } from '../../domain/event.ts'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isoTime, name, sequence, text } from '../parse.ts'
import { LAST_PLACE, ownMoment, ownPlace, ownUuid } from './recorded-parts.ts'

const CUSTOM_TYPE = /^x\.[A-Za-z0-9][A-Za-z0-9_.:-]{0,126}$/
const TYPES: ReadonlySet<string> = new Set([...APPENDABLE_TYPES, ...Object.keys(RECORDED_TYPES)])

const type = z
  .custom<ExportedEvent['type']>(
    (value) => typeof value === 'string' && (TYPES.has(value) || CUSTOM_TYPE.test(value)),
    "must be a type of ours, or one of your own behind 'x.'; update throughline if the export is newer",
  )
  .meta({ type: 'string' })

/** An event that comes in. What its parts must have depends on its type. */
export const exportedEvent = z
  .strictObject({
    sequence: ownPlace,
    id: ownUuid,
    type,
    role: z.enum(ROLES),
    content: text(LIMITS.content),
    parts: z.custom<Json>().meta({ description: 'Any JSON.' }).optional(),
    agentId: name.optional(),
    occurredAt: isoTime.optional(),
    createdAt: ownMoment,
  })
  .meta({ id: 'ExportedEvent' })

export const sessionBlock = z
  .strictObject({
    sessionId: ownUuid,
    events: z.array(exportedEvent).min(1, 'must hold at least one').max(LIMITS.events),
    done: z.boolean().meta({ description: 'These are the last of them.' }),
  })
  .meta({ id: 'SessionBlock' })

/** Blocks in one call. */
export const MOST_BLOCKS = 100

export const importBody = z.strictObject({ blocks: z.array(sessionBlock).min(1).max(MOST_BLOCKS) })

/** The same, as far as it is not about one of the blocks: one that is wrong is refused alone. */
export const blocksInput = z.array(z.unknown()).min(1, 'must hold at least one').max(MOST_BLOCKS)

/** A body with them. */
export const importEnvelope = z.strictObject({ blocks: blocksInput })

const place = z.strictObject({
  sessionId: ownUuid,
  sequence: sequence.max(LAST_PLACE),
  done: z.boolean(),
}) satisfies z.ZodType<ExportPlace>

export const exportQuery = z.strictObject({
  sessionId: z.string().meta({ description: 'Only this session; all where absent.' }).optional(),
  after: place.meta({ description: 'Goes on behind this event.' }).optional(),
  totals: z.boolean().meta({ description: 'Says how much there is in all, too.' }).optional(),
})

const callback = z.custom<(progress: never) => void>((value) => typeof value === 'function', 'must be a function')

export const exportOptions = z.strictObject({
  sessionId: z.string().optional(),
  after: place.optional(),
  onProgress: callback.optional(),
} satisfies Record<keyof ExportOptions, z.ZodType>)

export const importOptions = z.strictObject({
  onProgress: callback.optional(),
} satisfies Record<keyof ImportOptions, z.ZodType>)
