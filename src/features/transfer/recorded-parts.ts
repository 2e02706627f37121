import { z } from 'zod/mini'
import type { RecordedType } from '../../domain/event.ts'
import type { ForkedParts, StartedParts } from '../../domain/fold.ts'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { ABORT_CAUSES, isFinal, SESSION_STATES } from '../../domain/record.ts'
import type { OpenRequest, RequestOpenedParts } from '../../domain/request.ts'
import { MAX_HIDDEN, type RestoredViews, type RewoundParts } from '../../domain/rewind.ts'
import { RUN_OUTCOMES, type Wake } from '../../domain/run.ts'
import type { Keys } from '../../http/response-schema.ts'
import { jsonObject, name, tenantName, text } from '../kernel/parse.ts'

/** A UUID in stored form. */
export const ownUuid = z
  .string()
  .check(z.regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, 'must be a UUID in lower case'))
  .register(z.globalRegistry, { format: 'uuid' })

/** A time in stored form: others would not sort as text. */
const anyMoment = z
  .string()
  .check(z.refine(isOwnMoment, 'must be a time such as 2026-01-31T09:30:00.000Z, in UTC and with milliseconds'))

/** The time of a write. */
export const ownMoment = anyMoment.check(
  // the index keeps minutes since 1970 in 32 bits
  z.refine((time) => time >= '1970' && time < '3000', 'must be in the years 1970 to 2999'),
)

/** The expiry time of a session, chosen by callers. */
const expiry = anyMoment.check(z.refine((time) => time >= '0001', 'must be in the years 0001 to 9999'))

/** The highest sequence or position. Databases keep them in 32 bits, and later ones must fit too. */
export const LAST_PLACE = 1_000_000_000

/** A sequence in a log, or a position in a chain. */
export const ownPlace = z.int().check(z.minimum(1), z.maximum(LAST_PLACE))

function isOwnMoment(time: string): boolean {
  const ms = Date.parse(time)
  return /^\d{4}-/.test(time) && !Number.isNaN(ms) && new Date(ms).toISOString() === time
}

const anything = z.optional(z.custom<Json>())
const words = text(LIMITS.content)
const list = z.array(z.string())
const range = z.looseObject({ from: ownPlace, to: ownPlace })
const hash = text(LIMITS.name)

/** Becomes the record of a session: unknown keys are refused. */
const started = z.strictObject({
  tenant: tenantName(),
  userId: name(),
  chatmode: name(),
  conversationId: name(),
  agent: name(),
  workflow: z.optional(name()),
  skill: z.optional(name()),
  gitBranch: z.optional(name()),
  task: z.optional(text(LIMITS.task)),
  expiresAt: z.optional(expiry),
  metadata: jsonObject(),
  parent: z.optional(z.strictObject({ sessionId: ownUuid, sequence: z.optional(ownPlace) })),
  identity: z.optional(z.strictObject({ issuer: z.optional(name()), scope: z.optional(text(LIMITS.note)) })),
  batch: z.optional(name()),
} satisfies Keys<StartedParts>)

/** Becomes the record of a fork. */
const forked = z.strictObject({
  from: z.strictObject({ sessionId: ownUuid, sequence: ownPlace }),
  conversationId: name(),
  chatmode: name(),
  task: z.optional(text(LIMITS.task)),
  metadata: jsonObject(),
} satisfies Keys<ForkedParts>)

const status = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('running') }),
  z.strictObject({
    state: z.literal('awaiting_user'),
    question: words,
    askedAt: ownMoment,
    cause: z.optional(z.literal('unclear')),
  }),
  z.strictObject({ state: z.literal('interrupted'), userMessage: words }),
  z.strictObject({ state: z.literal('pending_complete'), summary: words }),
  z.strictObject({ state: z.literal('complete'), endedBy: z.optional(z.literal('caller')) }),
  z.strictObject({ state: z.literal('aborted'), reason: words, cause: z.optional(z.enum(ABORT_CAUSES)) }),
])

const change = z.discriminatedUnion('op', [
  z.looseObject({ op: z.literal('merge'), patch: jsonObject() }),
  z.looseObject({ op: z.literal('replace'), value: jsonObject() }),
  z.looseObject({ op: z.literal('add'), key: name(), value: z.custom<Json>((value) => value !== undefined) }),
  z.looseObject({ op: z.literal('increment'), key: name(), by: z.number() }),
])

const switched = z.looseObject({ from: text(LIMITS.name), to: name(), context: z.optional(jsonObject()) })

const work = z.looseObject({
  id: name(),
  parents: list,
  kind: name(),
  observations: z.array(z.unknown()),
  state: z.enum(SESSION_STATES),
  task: z.optional(z.string()),
})

const commit = z.looseObject({
  id: ownUuid,
  parent: z.optional(ownUuid),
  position: ownPlace,
  kind: z.enum(['normal', 'abandoned', 'stale', 'interrupted']),
  task: z.optional(z.string()),
  summarizedBy: z.optional(z.enum(['caller', 'model', 'extractive'])),
  fallback: z.optional(z.string()),
  decisions: list,
  filesRead: list,
  filesWritten: z.array(z.strictObject({ path: z.string(), hash: z.optional(z.string()), bytes: z.optional(z.int()) })),
  commands: z.array(z.strictObject({ command: z.string(), exitCode: z.optional(z.int()) })),
  openQuestions: list,
  range: z.optional(range),
  hash: z.optional(hash),
})

const label = z.nullish(z.string())

const envelope = z.strictObject({
  personaId: z.optional(text(LIMITS.name)),
  metadata: z.optional(jsonObject()),
  analysis: z.optional(z.looseObject({ intent: label, sentiment: label, tags: z.nullish(z.array(z.string())) })),
  whole: z.optional(z.literal(true)),
  batch: z.optional(name()),
})

const openRequest = z.strictObject({
  id: name(),
  kind: name(),
  question: words,
  schema: z.optional(jsonObject()),
  toolCallId: z.optional(name()),
  openedAt: ownMoment,
} satisfies Keys<OpenRequest>)

const liveStatus = status.check(
  z.refine(({ state }) => !isFinal(state), 'must be that of a live session: an ended one cannot be rewound'),
)

/** Becomes the views of a session: unknown keys are refused. Where it points to is checked with the log. */
const rewound = z.strictObject({
  to: ownPlace,
  restored: z.strictObject({
    scratchpad: jsonObject(),
    status: liveStatus,
    activeAgent: name(),
    clearedAt: z.int().check(z.minimum(0), z.maximum(LAST_PLACE)),
    requests: z.optional(z.array(openRequest).check(z.minLength(1))),
    hidden: z.optional(
      z.array(z.readonly(z.tuple([ownPlace, ownPlace]))).check(z.minLength(1), z.maxLength(MAX_HIDDEN - 1)),
    ),
    wakes: z.optional(z.array(ownUuid).check(z.minLength(1))),
  } satisfies Keys<RestoredViews>),
} satisfies Keys<RewoundParts>)

const runParts = {
  runId: ownUuid,
  generation: ownPlace,
}

const wakeId = z.strictObject({ id: ownUuid })

/** The parts that our own events must have, so that every reader can rely on them. */
export const RECORDED_PARTS: Record<RecordedType, z.core.$ZodType> = {
  session_started: started,
  session_forked: forked,
  status_changed: z.looseObject({ status, commits: z.optional(z.literal(false)) }),
  messages_cleared: anything,
  state_changed: change,
  agent_changed: switched,
  agent_transition: switched,
  handoff_taken: z.optional(z.looseObject({ context: z.optional(jsonObject()) })),
  work_committed: work,
  session_compacted: commit,
  context_summarized: z.looseObject({ range, hash }),
  envelope_updated: envelope,
  run_started: z.strictObject({ ...runParts, worker: z.optional(name()), turns: z.int().check(z.minimum(0)) }),
  run_finished: z.strictObject({ ...runParts, outcome: z.enum(RUN_OUTCOMES), retryAt: z.optional(ownMoment) }),
  cancel_requested: anything,
  step_completed: z.looseObject({ key: name(), result: anything }),
  wake_scheduled: z.strictObject({
    id: ownUuid,
    at: ownMoment,
    key: z.optional(name()),
    prompt: z.optional(text(LIMITS.statement)),
  } satisfies Keys<Wake>),
  wake_fired: wakeId,
  request_opened: z.strictObject({
    id: name(),
    kind: name(),
    schema: z.optional(jsonObject()),
    toolCallId: z.optional(name()),
  } satisfies Keys<RequestOpenedParts>),
  request_resolved: z.strictObject({ id: name(), value: z.custom<Json>((value) => value !== undefined) }),
  rewound,
}
