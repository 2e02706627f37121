import { z } from 'zod/mini'
import type { ExportedEvent, ExportOptions, ExportPlace, ImportOptions } from '../../api.ts'
import { APPENDABLE_TYPES, RECORDED_TYPES, ROLES } from '../../domain/event.ts'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { CHECKSUM } from '../kernel/event-checksum.ts'
import { isoTime, name, sequence, text } from '../kernel/parse.ts'
import { LAST_PLACE, ownMoment, ownPlace, ownUuid } from './recorded-parts.ts'

const CUSTOM_TYPE = /^x\.[A-Za-z0-9][A-Za-z0-9_.:-]{0,126}$/
const TYPES: ReadonlySet<string> = new Set([...APPENDABLE_TYPES, ...Object.keys(RECORDED_TYPES)])

const type = z
  .custom<ExportedEvent['type']>(
    (value) => typeof value === 'string' && (TYPES.has(value) || CUSTOM_TYPE.test(value)),
    "must be a type of ours, or one of your own behind 'x.'; update throughline if the export is newer",
  )
  .register(z.globalRegistry, { type: 'string' })

/** An event to import. Its type determines the schema of its parts. */
export const exportedEvent = z
  .strictObject({
    sequence: ownPlace,
    id: ownUuid,
    type,
    role: z.enum(ROLES),
    content: text(LIMITS.content),
    parts: z.optional(z.custom<Json>().register(z.globalRegistry, { description: 'Any JSON.' })),
    agentId: z.optional(name()),
    occurredAt: z.optional(isoTime()),
    createdAt: ownMoment,
    checksum: z.optional(
      z
        .string()
        .check(z.regex(CHECKSUM, 'must be the checksum of an export'))
        .register(z.globalRegistry, { description: 'Absent: the import makes one.' }),
    ),
  })
  .register(z.globalRegistry, { id: 'ExportedEvent' })

export const sessionBlock = z
  .strictObject({
    sessionId: ownUuid,
    events: z.array(exportedEvent).check(z.minLength(1, 'must hold at least one'), z.maxLength(LIMITS.events)),
    done: z.boolean().register(z.globalRegistry, { description: 'Whether these are the last events of the session.' }),
  })
  .register(z.globalRegistry, { id: 'SessionBlock' })

/** Blocks of one call. */
export const MOST_BLOCKS = 100

export const importBody = z.strictObject({
  blocks: z.array(sessionBlock).check(z.minLength(1), z.maxLength(MOST_BLOCKS)),
})

/** Checks the list but not its blocks: a wrong block is refused alone. */
export const blocksInput = z
  .array(z.unknown())
  .check(z.minLength(1, 'must hold at least one'), z.maxLength(MOST_BLOCKS))

/** The request body. */
export const importEnvelope = z.strictObject({ blocks: blocksInput })

const place = z.strictObject({
  sessionId: ownUuid,
  sequence: sequence().check(z.maximum(LAST_PLACE)),
  done: z.boolean(),
}) satisfies z.core.$ZodType<ExportPlace>

export const exportQuery = z.strictObject({
  sessionId: z.optional(z.string().register(z.globalRegistry, { description: 'Only this session. Default: all.' })),
  after: z.optional(place.clone().register(z.globalRegistry, { description: 'Continue after this event.' })),
  totals: z.optional(z.boolean().register(z.globalRegistry, { description: 'Also return totals.' })),
})

const callback = z.custom<(progress: never) => void>((value) => typeof value === 'function', 'must be a function')

export const exportOptions = z.strictObject({
  sessionId: z.optional(z.string()),
  after: z.optional(place),
  onProgress: z.optional(callback),
} satisfies Record<keyof ExportOptions, z.core.$ZodType>)

export const importOptions = z.strictObject({
  onProgress: z.optional(callback),
} satisfies Record<keyof ImportOptions, z.core.$ZodType>)
