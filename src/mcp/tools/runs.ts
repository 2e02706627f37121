import { z } from 'zod'
import type { Run } from '../../api.ts'
import type { Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { name, text } from '../../features/kernel/parse.ts'
import { giveUp } from '../claimed-runs.ts'
import { quote } from '../quote.ts'
import { jsonSize, MAX_RESPONSE, truncate } from '../response-limits.ts'
import { defineTool, sessionId } from '../tool.ts'
import type { ToolContext } from '../tool-context.ts'
import { sessionSchema, sessionText, sessionView } from '../views.ts'

const run = z.int().min(1).max(999_999_999).describe('Number of the run, as claim_session returned it.')

const claimSession = defineTool({
  name: 'claim_session',
  title: 'Claim a session that needs work',
  description:
    'Begin a run: you alone work on the session until you call finish_run. Without a sessionId you get one that needs work. The server keeps the run for you for an hour after your last call; then it counts as failed, another worker may take over, and your writes to the session are refused (RUN_LOST). Finished steps need not be repeated: see find_step.',
  input: z.object({
    sessionId: z.optional(sessionId).describe('Session to work on. Default: the one that has waited longest.'),
    worker: z.optional(name()).describe('Your name, for people who look at the session. Default: mcp.'),
    chatmode: z.optional(name()).describe('Only sessions of this chatmode.'),
    agents: z
      .array(name())
      .min(1)
      .max(LIMITS.claimAgents)
      .optional()
      .describe('Only sessions in which one of these agents is active.'),
    waitSeconds: z.int().min(1).max(20).default(5).describe('How long to wait for a session that needs work.'),
  }),
  output: z.object({
    run: z.int().optional().describe('Number of the run, for complete_step and finish_run. Absent: there is no work.'),
    session: sessionSchema.optional(),
  }),
  effect: 'adds',
  async run(context, { sessionId: id, worker = 'mcp', waitSeconds, ...filters }) {
    const { runs, plain, gone } = context
    runs.requireRoom()
    const begun =
      id === undefined
        ? await claimWithin(context, { worker, ...defined(filters) }, waitSeconds * 1000)
        : await (await plain.sessions.get(id)).run({ worker })
    if (begun === undefined) return { data: {}, text: 'No session needs work now.' }
    // nobody would finish it
    if (gone?.aborted === true) await giveUp(begun, 'The client left before it got the run')
    else runs.hold(begun)
    const session = sessionView(await begun.record())
    const { generation } = begun
    return { data: { run: generation, session }, text: `Run ${generation} began. ${quote(sessionText(session))}` }
  },
})

/** Waits for a session that needs work; `undefined` if there is none in that time. */
async function claimWithin(
  { plain, gone }: ToolContext,
  filters: { worker: string; chatmode?: string; agents?: string[] },
  ms: number,
): Promise<Run | undefined> {
  const timeout = AbortSignal.timeout(ms)
  const signal = gone === undefined ? timeout : AbortSignal.any([timeout, gone])
  try {
    return await plain.claim({ ...filters, signal })
  } catch (error) {
    if (signal.aborted && error === signal.reason) return undefined
    throw error
  }
}

const step = { sessionId, run, key: name().check(z.describe('Name of the step, unique in the session.')) }
const stepOutput = z.object({
  isRecorded: z.boolean(),
  result: z.unknown().optional().describe('As it is recorded; the start of its JSON text if it is very long.'),
  isClipped: z.boolean(),
})

function stepResult(found: { result?: Json } | undefined, missing: string) {
  const { result } = found ?? {}
  const isClipped = jsonSize(result) > MAX_RESPONSE
  const shown = isClipped ? truncate(JSON.stringify(result), MAX_RESPONSE / 2) : result
  const about = found === undefined ? missing : 'The step is recorded.'
  return {
    data: { isRecorded: found !== undefined, ...(result !== undefined && { result: shown }), isClipped },
    text: shown === undefined ? about : `${about} ${quote(JSON.stringify(shown))}`,
  }
}

const findStep = defineTool({
  name: 'find_step',
  title: 'Find the result of a step',
  description:
    'Get the recorded result of a step of a claimed session. Call before each step that must not happen twice: an earlier run may have done it.',
  input: z.object(step),
  output: stepOutput,
  effect: 'reads',
  run: async ({ findRun }, { sessionId: id, run: generation, key }) =>
    stepResult(
      await findRun(id, generation).findStep(key),
      'The step is not recorded: do it, then call complete_step.',
    ),
})

const completeStep = defineTool({
  name: 'complete_step',
  title: 'Record the result of a step',
  description:
    'Record the result of a finished step of a claimed session, so that no later run repeats it. The first result of a key counts and is returned.',
  input: z.object({ ...step, result: z.unknown().optional().describe('Any JSON. Default: nothing.') }),
  output: stepOutput,
  effect: 'adds',
  idempotent: true,
  run: async ({ findRun }, { sessionId: id, run: generation, key, result }) =>
    stepResult(await findRun(id, generation).recordStep(key, result as Json | undefined), ''),
})

const finishRun = defineTool({
  name: 'finish_run',
  title: 'Finish a run',
  description:
    'Stop working on a claimed session. completed: the work is done for now. failed: it is tried again after a while. The session itself goes on; use propose or finish_session to end its task.',
  input: z.object({
    sessionId,
    run,
    outcome: z.enum(['completed', 'failed']).default('completed'),
    note: z.optional(text(LIMITS.statement)).describe('What was done, or why it failed.'),
  }),
  output: z.object({ isFinished: z.literal(true) }),
  effect: 'adds',
  async run({ findRun, runs }, { sessionId: id, run: generation, outcome, note }) {
    try {
      await findRun(id, generation).finish(outcome, note)
    } finally {
      if (runs.held(id)?.generation === generation) runs.drop(id)
    }
    return { data: { isFinished: true as const }, text: 'The run is finished.' }
  },
})

const cancelRun = defineTool({
  name: 'cancel_run',
  title: 'Stop the run of a session',
  description:
    'Stop the live run of a session, in whatever process it is. Call when the user wants the work to stop. Without a live run nothing happens.',
  input: z.object({
    sessionId,
    reason: z.optional(text(LIMITS.statement)).describe('Why, for the worker and for people.'),
  }),
  output: z.object({ isAsked: z.boolean().describe('False if nobody works on the session.') }),
  effect: 'changes',
  idempotent: true,
  async run({ plain }, { sessionId: id, reason }) {
    const record = await (await plain.sessions.get(id)).cancel(defined({ reason }))
    const isAsked = record.run !== undefined
    return { data: { isAsked }, text: isAsked ? 'The worker was asked to stop.' : 'Nobody works on this session.' }
  },
})

export const runTools = [claimSession, findStep, completeStep, finishRun, cancelRun]
