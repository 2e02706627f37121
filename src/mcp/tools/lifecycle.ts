import { z } from 'zod'
import type { Session, WriteOptions } from '../../api.ts'
import { defined } from '../../domain/optional.ts'
import type { SessionRecord, SessionState } from '../../domain/record.ts'
import { quote } from '../quote.ts'
import { defineTool, idempotencyKey, sessionId } from '../tool.ts'
import { sessionSchema, sessionText, sessionView } from '../views.ts'

const output = z.object({ session: sessionSchema.pick({ id: true, state: true, waitsFor: true, head: true }) })

function lifecycleResult(record: SessionRecord) {
  const session = sessionView(record)
  const { id, state, waitsFor, head } = session
  return { data: { session: defined({ id, state, waitsFor, head }) }, text: quote(sessionText(session)) }
}

const ask = defineTool({
  name: 'ask',
  title: 'Ask the user',
  description:
    'Record a question to the user. The session then waits for the answer as long as it takes, even across restarts. Also put the question in your reply.',
  input: z.object({ sessionId, question: z.string().min(1), idempotencyKey }),
  output,
  effect: 'adds',
  run: async ({ tl }, { sessionId: id, question, idempotencyKey: key }) =>
    lifecycleResult(await (await tl.sessions.get(id)).ask(question, defined({ idempotencyKey: key }))),
})

type Reply = (session: Session, text: string, options: WriteOptions) => Promise<SessionRecord>

const REPLIES = {
  awaiting_user: (session, text, options) => session.answer(text, options),
  pending_complete: (session, text, options) => session.continueWith(text, options),
  interrupted: (session, text, options) => session.incorporate(text, options),
} as const satisfies Partial<Record<SessionState, Reply>>

const answer = defineTool({
  name: 'answer',
  title: 'Answer a waiting session',
  description:
    "Give a session what it waits for, so that work continues: the user's answer to a question, what the user still wants after propose, or how you handled an interruption. If the session waits for nothing, record the user's message with say.",
  input: z.object({ sessionId, text: z.string().min(1).describe("The user's own words."), idempotencyKey }),
  output,
  effect: 'adds',
  async run({ tl }, { sessionId: id, text, idempotencyKey: key }) {
    const session = await tl.sessions.get(id)
    const { state } = (await session.record()).status
    return lifecycleResult(await reply(session, state, text, defined({ idempotencyKey: key })))
  },
})

/** Replies to what the session waits for. A known key may belong to an earlier reply of another kind. */
async function reply(
  session: Session,
  state: SessionState,
  text: string,
  options: WriteOptions,
): Promise<SessionRecord> {
  const expected = state in REPLIES ? REPLIES[state as keyof typeof REPLIES] : REPLIES.awaiting_user
  try {
    return await expected(session, text, options)
  } catch (error) {
    if ((error as { code?: string }).code !== 'IDEMPOTENCY_MISMATCH') throw error
    for (const other of Object.values(REPLIES).filter((one) => one !== expected)) {
      const earlier = await other(session, text, options).catch(() => undefined)
      if (earlier !== undefined) return earlier
    }
    throw error
  }
}

const propose = defineTool({
  name: 'propose',
  title: 'Propose that the task is done',
  description:
    'Summarize the finished task and wait for the user to confirm. Call when you consider the task done, before finish_session.',
  input: z.object({
    sessionId,
    summary: z.string().min(1).describe('What was done, for the user to check.'),
    idempotencyKey,
  }),
  output,
  effect: 'adds',
  run: async ({ tl }, { sessionId: id, summary, idempotencyKey: key }) =>
    lifecycleResult(await (await tl.sessions.get(id)).propose(summary, defined({ idempotencyKey: key }))),
})

const finishSession = defineTool({
  name: 'finish_session',
  title: 'Finish a session',
  description:
    'End a session for good and keep a summary. confirmed: the user accepts the proposed result. abandoned: the task is given up. ended: it is over, without a summary. Call only when the user says so.',
  input: z.object({
    sessionId,
    outcome: z.enum(['confirmed', 'abandoned', 'ended']),
    reason: z.string().min(1).default('Given up').describe('Why the task was abandoned.'),
    idempotencyKey,
  }),
  output,
  effect: 'changes',
  async run({ tl }, { sessionId: id, outcome, reason, idempotencyKey: key }) {
    const session = await tl.sessions.get(id)
    const options = defined({ idempotencyKey: key })
    if (outcome === 'confirmed') return lifecycleResult(await session.confirm(options))
    return lifecycleResult(await (outcome === 'ended' ? session.end(options) : session.abort(reason, options)))
  },
})

export const lifecycleTools = [ask, answer, propose, finishSession]
