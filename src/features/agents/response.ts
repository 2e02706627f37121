import { z } from 'zod'
import type { AgentTransition } from '../../api.ts'
import type { HandoffContext } from '../../domain/scratchpad.ts'
import { type Keys, time } from '../../http/response-schema.ts'

export const transitionResponse = z
  .strictObject({
    from: z.string(),
    to: z.string(),
    reason: z.string(),
    timestamp: time,
    sequence: z.int().meta({ description: 'Sequence of its event.' }),
  } satisfies Keys<AgentTransition>)
  .meta({ id: 'AgentTransition' })

/** Other keys are as the agent that handed over gave them. */
export const handoffResponse = z
  .looseObject({
    from_chatmode: z.string().optional(),
    artifacts_created: z.array(z.string()).optional(),
    key_decisions: z.array(z.string()).optional(),
  } satisfies Keys<HandoffContext>)
  .meta({ id: 'HandoffContext' })
