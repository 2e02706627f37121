import type { Session, Throughline } from '../../api.ts'
import { ThroughlineError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { pluralize } from '../text.ts'
import type { Narrator } from './narrator.ts'

/** What was shown of the log, for `--json`. */
export interface LogReport {
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

/** Shows the log below the conversation: its past, a fork, refusals, concurrent writers, retries and verification. */
export async function showLog(
  tl: Throughline,
  ended: Session,
  live: Session,
  { part, line }: Narrator,
): Promise<LogReport> {
  part('The log', 'every session is one append-only log')
  const { status } = (await ended.at(5)).record
  line('at(5)', `after event 5, the first session was ${status.state}`)

  const fork = await ended.fork({ at: 5 })
  const { status: forked } = await fork.answer('Option A')
  line('fork()', `from there with “Option A”: a new session, ${forked.state}`)

  const refused = await refusalCode(() => ended.append({ type: 'user_message', content: 'One more thing' }))
  line('append()', `the first session has ended, so this is refused: ${refused}`)

  const { head } = await live.record()
  const tail = await tailDuring(tl, live, head, WRITERS, () => writeConcurrently(live))
  const { first, last, gaps } = spanOf(tail)
  line('tail()', `${WRITERS} writers at once, streamed live: events ${first} to ${last}, ${pluralize(gaps, 'gap')}`)

  const retry = await sendTwice(live)
  line('append()', `sent twice with the same idempotency key: both return event ${retry[0]}`)

  const verify = { sessions: 0, events: 0, differences: 0 }
  for (const { id } of [ended, live, fork]) {
    const { sessions, events, differences } = await tl.verify(id)
    verify.sessions += sessions
    verify.events += events
    verify.differences += differences.length
  }
  const seen = `${pluralize(verify.sessions, 'log')} replayed, ${pluralize(verify.events, 'event')}`
  line('verify()', `${seen}: ${pluralize(verify.differences, 'difference')} from the stored views`)
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

async function writeConcurrently(session: Session): Promise<void> {
  const notes = Array.from({ length: WRITERS }, (_, i) => ({ type: 'x.note', content: `Note ${i + 1}` }) as const)
  await Promise.all(notes.map((note) => session.append(note)))
}

/** Events that a second handle receives while `write` runs. */
async function tailDuring(
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

async function sendTwice(session: Session): Promise<number[]> {
  const send = () => session.append({ type: 'x.note', content: 'Once' }, { idempotencyKey: 'once' })
  return [...(await send()), ...(await send())].map(({ sequence }) => sequence)
}

/** The error code of a call that must fail. */
async function refusalCode(call: () => Promise<unknown>): Promise<string> {
  try {
    await call()
  } catch (error) {
    if (error instanceof ThroughlineError) return error.code
    throw error
  }
  throw new Error('the call should have been refused')
}
