import { z } from 'zod'
import { MESSAGE_INTENTS } from '../../domain/classify.ts'
import type { Action } from '../../domain/intent.ts'
import type { ResumePlan } from '../../domain/resume.ts'
import { id, type Keys } from '../../http/response-schema.ts'
import type { Handled, ResumedPlan } from './operation.ts'

const ACTIONS = [
  'started',
  'answer',
  'interrupt_and_incorporate',
  'incorporate',
  'continue',
  'complete',
  'acknowledge',
  'new_task',
  'abandon',
  'clarify',
] as const satisfies readonly (Action | 'started')[]

const PLANS = [
  'expired',
  'offer',
  'ask_again',
  'present_summary',
  'repeat_interruption',
  'show_progress',
  'new_task',
] as const satisfies readonly ResumePlan['plan'][]

const say = z.string().meta({ description: 'What to tell the user.' })
const ended = id.meta({ description: 'The session that this call ended.' })

export const outcomeResponse = z
  .strictObject({
    action: z.enum(ACTIONS).meta({ description: '`started` if the conversation had no live session.' }),
    intent: z.enum(MESSAGE_INTENTS),
    judged: z.looseObject({
      by: z.enum(['rules', 'model', 'caller']).optional(),
      rule: z.string().optional(),
      fallback: z.string().optional(),
    }),
    sessionId: id.meta({ description: 'The live session of the conversation, if it has one now.' }).optional(),
    endedId: ended.optional(),
    say,
  } satisfies Keys<Handled>)
  .meta({ id: 'Outcome' })

export const resumedResponse = z
  .strictObject({
    plan: z.enum(PLANS),
    sessionId: id.meta({ description: 'The open session.' }).optional(),
    endedId: ended.optional(),
    say,
  } satisfies Keys<ResumedPlan>)
  .meta({ id: 'Resumed' })
