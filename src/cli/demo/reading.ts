import type { Session, Throughline } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { Output } from '../output.ts'
import type { Tell } from './narrator.ts'
import { eventsShown, factsShown, refusalOf, refusalShown } from './show.ts'
import { WRITERS } from './writing.ts'

/** The end of the log: as it grows, and as a model takes it. */
export async function follow(tl: Throughline, session: Session, step: Tell, output: Output): Promise<void> {
  await step({
    title: 'Follow the log from a second handle, and append with the first.',
    call: 'const other = await tl.sessions.get(s.id)\nfor await (const event of other.tail({ after: 55 })) …',
    async run() {
      const other = await tl.sessions.get(session.id)
      const { head } = await other.record()
      const received = take(2, other.tail({ after: head, signal: AbortSignal.timeout(10_000) }))
      await session.append({ type: 'user_message', content: 'Then fix the clock.' })
      await session.append({ type: 'model_message', content: 'Done: the clock stands still at noon.' })
      return await received
    },
    show: (events) => eventsShown(events, output),
  })
  await step({
    title: 'Take what fits into a prompt: whole turns only, the newest first.',
    call: 'await s.recent({ maxTurns: 5, maxTokens: 60 })',
    run: () => session.recent({ maxTurns: 5, maxTokens: 60 }),
    show(window) {
      const { lines, data } = eventsShown(window.events, output)
      const { tokens = 0, dangling } = window
      const sum = `${tokens} tokens; the turn before, with its ${WRITERS} notes, does not fit`
      return { lines: [...lines, sum], data: { events: data, tokens, dangling } }
    },
  })
}

async function take(count: number, events: AsyncIterable<SessionEvent>): Promise<SessionEvent[]> {
  const taken: SessionEvent[] = []
  for await (const event of events) if (taken.push(event) === count) break
  return taken
}

/** The past of the session, and another future for it. */
export async function lookBack(session: Session, step: Tell, output: Output): Promise<void> {
  await step({
    title: 'Ask for something wrong. The error names the field.',
    call: 'await s.events({ limit: 0 })',
    run: () => refusalOf(() => session.events({ limit: 0 })),
    show: (refusal) => refusalShown(refusal, output),
  })
  await step({
    title: 'Look at the session as it was right after event 3.',
    call: 'await s.at(3)',
    run: () => session.at(3),
    async show({ record }) {
      const now = await session.record()
      const { lines, data } = factsShown({ head: record.head, turns: record.turns, status: record.status.state })
      return { lines: [...lines, `now: head ${now.head}, turns ${now.turns}`], data }
    },
  })
  await step({
    title: 'Fork it there, to try another way. The original stays as it is.',
    call: "const f = await s.fork({ at: 3, task: 'Try without tools' })",
    run: () => session.fork({ at: 3, task: 'Try without tools' }),
    show: async (fork) => eventsShown(await fork.events(), output),
  })
}
