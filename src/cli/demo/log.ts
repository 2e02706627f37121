import type { Session, Throughline } from '../../api.ts'
import { ThroughlineError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { pluralize } from '../text.ts'
import type { Narrator } from './narrator.ts'

/** What the log can do, for programs. */
export interface LogTold {
  at: { sequence: number; state: string }
  fork: { sessionId: string; state: string }
  crowd: { writers: number; first: number; last: number; gaps: number }
  retry: { sequences: number[] }
  tail: { sequence: number; type: string }[]
  refused: string
  verify: { sessions: number; events: number; differences: number }
}

/** Writers that append at the same time. */
const WRITERS = 50

/** The log under the conversation: its past, another future for it, and what it takes. */
export async function lookAtLog(
  tl: Throughline,
  ended: Session,
  live: Session,
  { part, line }: Narrator,
): Promise<LogTold> {
  part('The log', 'all of this is one append-only log for each session')
  const { status } = (await ended.at(5)).record
  line('at(5)', `right after event 5 the first session was ${status.state}`)

  const fork = await ended.fork({ at: 5 })
  const { status: forked } = await fork.answer('Option A')
  line('fork()', `from there “Option A”: another session, ${forked.state}`)

  const refused = await refusalOf(() => ended.append({ type: 'user_message', content: 'One more thing' }))
  line('append()', `the first session has ended and takes no more: ${refused}`)

  const { head } = await live.record()
  const tail = await tailedWhile(tl, live, head, WRITERS, () => crowd(live))
  const { first, last, gaps } = spanOf(tail)
  line('tail()', `${WRITERS} writers at once, followed live: events ${first} to ${last}, ${pluralize(gaps, 'gap')}`)

  const retry = await sentTwice(live)
  line('append()', `sent twice with one idempotency key: event ${retry[0]}, and again ${retry[1]}`)

  const verify = { sessions: 0, events: 0, differences: 0 }
  for (const { id } of [ended, live, fork]) {
    const { sessions, events, differences } = await tl.verify(id)
    verify.sessions += sessions
    verify.events += events
    verify.differences += differences.length
  }
  const seen = `${pluralize(verify.sessions, 'log')} folded again, ${pluralize(verify.events, 'event')}`
  line('verify()', `${seen}: ${pluralize(verify.differences, 'difference')} from what is stored`)
  return {
    at: { sequence: 5, state: status.state },
    fork: { sessionId: fork.id, state: forked.state },
    crowd: { writers: WRITERS, first, last, gaps },
    retry: { sequences: retry },
    tail: tail.slice(-2).map(({ sequence, type }) => ({ sequence, type })),
    refused,
    verify,
  }
}

async function crowd(session: Session): Promise<void> {
  const notes = Array.from({ length: WRITERS }, (_, i) => ({ type: 'x.note', content: `Note ${i + 1}` }) as const)
  await Promise.all(notes.map((note) => session.append(note)))
}

/** What a second handle sees come in while `write` runs. */
async function tailedWhile(
  tl: Throughline,
  session: Session,
  after: number,
  count: number,
  write: () => Promise<void>,
): Promise<SessionEvent[]> {
  const other = await tl.sessions.get(session.id)
  const taken = take(count, other.tail({ after, signal: AbortSignal.timeout(10_000) }))
  await write()
  return await taken
}

async function take(count: number, events: AsyncIterable<SessionEvent>): Promise<SessionEvent[]> {
  const taken: SessionEvent[] = []
  for await (const event of events) if (taken.push(event) === count) break
  return taken
}

function spanOf(events: readonly SessionEvent[]): { first: number; last: number; gaps: number } {
  const sequences = events.map(({ sequence }) => sequence)
  const [first, last] = [Math.min(...sequences), Math.max(...sequences)]
  return { first, last, gaps: last - first + 1 - new Set(sequences).size }
}

async function sentTwice(session: Session): Promise<number[]> {
  const send = () => session.append({ type: 'x.note', content: 'Once' }, { idempotencyKey: 'once' })
  return [...(await send()), ...(await send())].map(({ sequence }) => sequence)
}

/** The code of the refusal that a call must meet. */
async function refusalOf(call: () => Promise<unknown>): Promise<string> {
  try {
    await call()
  } catch (error) {
    if (error instanceof ThroughlineError) return error.code
    throw error
  }
  throw new Error('a call went through that should have been refused')
}
