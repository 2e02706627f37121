import { z } from 'zod'
import type { Session, WriteOptions } from '../../api.ts'
import type { SessionRecord, SessionState } from '../../domain/record.ts'
import { quote } from '../quote.ts'
import { defineTool, idempotencyKey, sessionId } from '../tool.ts'
import { given, sessionOf } from '../tool-context.ts'
import { sessionSchema, sessionText, sessionView } from '../views.ts'

const output = z.object({ session: sessionSchema.pick({ id: true, state: true, waitsFor: true, head: true }) })

function lifecycleResult(record: SessionRecord) {
  const session = sessionView(record)
  const { id, state, waitsFor, head } = session
  return { data: { session: { id, state, head, ...given({ waitsFor }) } }, text: quote(sessionText(session)) }
}

const ask = defineTool({
  name: 'ask',
  title: 'Ask the user',
  description:
    'Puts a question to the user on record, and lets the session wait for the answer, however long it takes and in whatever process. Ask the user the same question in your reply.',
  input: z.object({ sessionId, question: z.string().min(1), idempotencyKey }),
  output,
  effect: 'adds',
  run: async (desk, { sessionId: id, question, idempotencyKey: key }) =>
    lifecycleResult(await (await sessionOf(desk, id)).ask(question, given({ idempotencyKey: key }))),
})

type Reply = (session: Session, text: string, key: WriteOptions) => Promise<SessionRecord>

const REPLIES = {
  awaiting_user: (session, text, key) => session.answer(text, key),
  pending_complete: (session, text, key) => session.continueWith(text, key),
  interrupted: (session, text, key) => session.incorporate(text, key),
} as const satisfies Partial<Record<SessionState, Reply>>

const answer = defineTool({
  name: 'answer',
  title: 'Answer what a session waits for',
  description:
    "Gives a session what it waits for, and the work goes on: the user's answer to a question, what the user wants beyond a proposed end, or how what the user threw in was taken up. In a session that waits for nothing, keep what the user says with say.",
  input: z.object({ sessionId, text: z.string().min(1).describe('In the words of the user.'), idempotencyKey }),
  output,
  effect: 'adds',
  async run(desk, { sessionId: id, text, idempotencyKey: key }) {
    const session = await sessionOf(desk, id)
    const { state } = (await session.record()).status
    return lifecycleResult(await reply(session, state, text, given({ idempotencyKey: key })))
  },
})

/** By what the session waits for. A key that is known may belong to an earlier reply of another kind. */
async function reply(session: Session, state: SessionState, text: string, key: WriteOptions): Promise<SessionRecord> {
  const fitting = state in REPLIES ? REPLIES[state as keyof typeof REPLIES] : REPLIES.awaiting_user
  try {
    return await fitting(session, text, key)
  } catch (error) {
    if ((error as { code?: string }).code !== 'IDEMPOTENCY_MISMATCH') throw error
    for (const reply of Object.values(REPLIES).filter((one) => one !== fitting)) {
      const again = await reply(session, text, key).catch(() => undefined)
      if (again !== undefined) return again
    }
    throw error
  }
}

const propose = defineTool({
  name: 'propose',
  title: 'Propose that the work is done',
  description:
    'Says that the task is done as far as you can tell, with a summary, and lets the session wait for the user to confirm. Use it at the end of a task, before finish_session.',
  input: z.object({
    sessionId,
    summary: z.string().min(1).describe('What was done, for the user to check.'),
    idempotencyKey,
  }),
  output,
  effect: 'adds',
  run: async (desk, { sessionId: id, summary, idempotencyKey: key }) =>
    lifecycleResult(await (await sessionOf(desk, id)).propose(summary, given({ idempotencyKey: key }))),
})

const finishSession = defineTool({
  name: 'finish_session',
  title: 'Finish a session',
  description:
    'Ends a session for good and keeps a summary of it: confirmed when the user agrees to what was proposed, abandoned when the task is given up, ended when it is simply over (then without a summary). Only when the user says so.',
  input: z.object({
    sessionId,
    outcome: z.enum(['confirmed', 'abandoned', 'ended']),
    reason: z.string().min(1).default('Given up').describe('Why it is abandoned.'),
    idempotencyKey,
  }),
  output,
  effect: 'changes',
  async run(desk, { sessionId: id, outcome, reason, idempotencyKey: key }) {
    const session = await sessionOf(desk, id)
    const once = given({ idempotencyKey: key })
    if (outcome === 'confirmed') return lifecycleResult(await session.confirm(once))
    return lifecycleResult(await (outcome === 'ended' ? session.end(once) : session.abort(reason, once)))
  },
})

export const lifecycleTools = [ask, answer, propose, finishSession]
