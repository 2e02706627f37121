import { z } from 'zod/mini'
import { type LabelValue, labelOf, MAX_LABEL } from '../../domain/label.ts'
import { LIMITS } from '../../domain/limits.ts'
import { SESSION_STATES } from '../../domain/record.ts'
import { isDerivedId } from '../kernel/derived-id.ts'
import { duration, jsonObject, moment, name, pageSize, schema, tenantName, text, uuid } from '../kernel/parse.ts'

const task = schema(() => text(LIMITS.task).check(z.minLength(1)))

// a caller who chose a derived id could learn whether a key was used, or block it
const ownId = schema(() =>
  uuid()
    .check(z.refine((id) => !isDerivedId(id), 'must not be of version 8: those are made from keys'))
    .register(z.globalRegistry, { description: 'A UUID of your own, of any version but 8.' }),
)

const parentLink = schema(() =>
  z.strictObject({
    sessionId: uuid(),
    sequence: z.optional(z.int().check(z.minimum(1))),
  }),
)

const MAX_LABELS = 8

/** Members of metadata to filter by. In a query it is JSON text. */
const members = schema(() =>
  z
    .record(
      name(),
      z.union([z.string(), z.number(), z.boolean(), z.null()], 'must be a text, a number, true, false or null'),
    )
    .check(
      z.refine((wanted) => Object.keys(wanted).length > 0 && Object.keys(wanted).length <= MAX_LABELS, {
        error: `must have 1 to ${MAX_LABELS} members`,
      }),
      z.refine((wanted) => Object.entries(wanted).every(([key, value]) => fitsLabel(key, value)), {
        error: `must have members of at most ${MAX_LABEL} characters as JSON`,
      }),
    ),
)

const fitsLabel = (key: string, value: LabelValue) => labelOf(key, value).length <= MAX_LABEL

export const createSession = schema(() =>
  z.strictObject({
    userId: name(),
    chatmode: z._default(name(), 'default'),
    conversationId: z.optional(name()),
    tenant: z.optional(tenantName()),
    workflow: z.optional(name()),
    skill: z.optional(name()),
    gitBranch: z.optional(name()),
    task: z.optional(task()),
    agent: z.optional(name()),
    metadata: z.optional(jsonObject()),
    parent: z.optional(parentLink()),
    expiresAt: z.optional(moment()),
    expiresInMs: z.optional(duration()),
    id: z.optional(ownId()),
  }),
)

export const activeScope = schema(() =>
  z.strictObject({
    userId: name(),
    chatmode: z._default(name(), 'default'),
    conversationId: z.optional(name()),
    tenant: z.optional(tenantName()),
  }),
)

export const listSessions = schema(() =>
  z.strictObject({
    tenant: z.optional(tenantName()),
    userId: z.optional(name()),
    status: z.optional(z.enum(SESSION_STATES)),
    chatmode: z.optional(name()),
    agent: z.optional(name()),
    conversationId: z.optional(name()),
    parent: z.optional(uuid()),
    metadata: z.optional(members()),
    since: z.optional(moment()),
    until: z.optional(moment()),
    limit: z.optional(pageSize()),
    cursor: z.optional(z.string().check(z.maxLength(1024))),
  }),
)

export const forkOptions = schema(() =>
  z.strictObject({
    at: z.optional(z.int()),
    id: z.optional(ownId()),
    chatmode: z.optional(name()),
    task: z.optional(task()),
    metadata: z.optional(jsonObject()),
  }),
)
