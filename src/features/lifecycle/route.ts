import { z } from 'zod/mini'
import type { Route } from '../../http/route.ts'
import { writeOptions } from '../kernel/parse.ts'
import { recordResponse } from '../sessions/response.ts'
import type { LifecycleCall } from './operation.ts'
import { abort, answer, ask, confirm, continueWith, endSession, incorporate, interrupt, propose } from './operation.ts'
import { abortInput, askInput, continueInput, incorporateInput, proposeInput, textInput } from './schema.ts'

/** A route of one lifecycle call; its name in the path is that of the operation, unless given. */
function lifecycleRoute(
  operation: string,
  summary: string,
  input: () => z.ZodMiniObject<{ idempotencyKey: z.ZodMiniType }>,
  call: LifecycleCall<never>,
  name = operation,
): Route {
  return {
    method: 'POST',
    path: `/sessions/{id}/${name}`,
    operation,
    summary,
    body: z.omit(input(), { idempotencyKey: true }),
    response: recordResponse,
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'INVALID_TRANSITION', 'IDEMPOTENCY_MISMATCH'],
    work: 'session',
    handle: ({ deps, id, body, key }) => call(deps, id, { ...body, ...key } as never),
  }
}

export const lifecycleRoutes: readonly Route[] = [
  lifecycleRoute('ask', 'Ask the user a question and wait for the answer', askInput, ask),
  lifecycleRoute('answer', 'Answer the question: the session continues', textInput, answer),
  lifecycleRoute('interrupt', 'Interrupt the agent with a message from the user', textInput, interrupt),
  lifecycleRoute(
    'incorporate',
    'Take the interruption into account: the session continues',
    incorporateInput,
    incorporate,
  ),
  lifecycleRoute('propose', 'Propose that the task is done and wait for the user to confirm', proposeInput, propose),
  lifecycleRoute('confirm', 'Confirm: the session completes and is compacted', writeOptions, confirm),
  lifecycleRoute(
    'continueWith',
    'Ask for more than was proposed: the session continues',
    continueInput,
    continueWith,
    'continue',
  ),
  lifecycleRoute('abort', 'Abort the task and compact what was done', abortInput, abort),
  {
    ...lifecycleRoute(
      'endSession',
      'End the session as complete from any live state, without a commit',
      writeOptions,
      endSession,
      'end',
    ),
    errors: ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'IDEMPOTENCY_MISMATCH'],
  },
]
