import type { Session, Throughline } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { Output } from '../output.ts'
import type { Tell } from './narrator.ts'
import { eventsShown } from './show.ts'

/** Writers that append at the same time. */
export const WRITERS = 50

/** A session, and the first turn in it. */
export async function converse(tl: Throughline, step: Tell, output: Output): Promise<Session> {
  const shown = (events: readonly SessionEvent[]) => eventsShown(events, output)
  const session = await step({
    title: 'Create a session for a task. Its log begins with event 1.',
    call: "const s = await tl.sessions.create({\n  userId: 'ada', task: 'Fix the login test' })",
    run: () => tl.sessions.create({ userId: 'ada', task: 'Fix the login test' }),
    show: async (created) => shown(await created.events()),
  })
  await step({
    title: 'Append what the user says. A turn begins.',
    call: "await s.append({ type: 'user_message', content: 'Why does login …' })",
    run: () => session.append({ type: 'user_message', content: 'Why does login.test.ts fail?' }),
    show: shown,
  })
  const call = { id: 'call-1', name: 'run_tests', arguments: { file: 'login.test.ts' } }
  await step({
    title: 'Append the answer of the model, which calls a tool.',
    call: "await s.append({ type: 'model_message', content: 'Let me …',\n  parts: { toolCalls: [{ id: 'call-1', name: 'run_tests', arguments }] } })",
    run: () => session.append({ type: 'model_message', content: 'Let me run it.', parts: { toolCalls: [call] } }),
    show: shown,
  })
  await step({
    title: 'Append the result of the tool. The id pairs it with its call.',
    call: "await s.append({ type: 'tool_result', content: '1 failed …',\n  parts: { toolCallId: 'call-1' } })",
    run: () =>
      session.append({ type: 'tool_result', content: '1 failed: token expired', parts: { toolCallId: call.id } }),
    show: shown,
  })
  return session
}

/** What a retry and a crowd of writers do to the log. */
export async function crowd(session: Session, step: Tell, output: Output): Promise<void> {
  const answer = { type: 'model_message', content: 'The token expired: the test needs a fixed clock.' } as const
  await step({
    title: 'Append twice with the same key, as after a lost reply: written once.',
    call: "await s.append(answer, { idempotencyKey: 'answer-1' })\nawait s.append(answer, { idempotencyKey: 'answer-1' })",
    run: async () => [
      ...(await session.append(answer, { idempotencyKey: 'answer-1' })),
      ...(await session.append(answer, { idempotencyKey: 'answer-1' })),
    ],
    show: (events) => eventsShown(events, output),
  })
  await step({
    title: `Let ${WRITERS} writers append at the same time: no gap, no repeat.`,
    call: 'await Promise.all(notes.map((note) => s.append(note)))',
    async run() {
      const began = performance.now()
      const notes = Array.from({ length: WRITERS }, (_, i) => ({ type: 'x.note', content: `Note ${i + 1}` }) as const)
      const events = (await Promise.all(notes.map((note) => session.append(note)))).flat()
      return { sequences: events.map(({ sequence }) => sequence), ms: performance.now() - began }
    },
    show({ sequences, ms }) {
      const first = Math.min(...sequences)
      const last = Math.max(...sequences)
      const distinct = new Set(sequences).size
      const gaps = last - first + 1 - distinct
      const repeats = sequences.length - distinct
      const line = `${sequences.length} events in ${ms.toFixed(0)} ms: ${first} to ${last}, ${gaps} gaps, ${repeats} repeats`
      return { lines: [line], data: { written: sequences.length, first, last, gaps, repeats } }
    },
  })
}
