import type { Commit, Outcome, Session, Throughline } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { sanitizeLine, truncate } from '../text.ts'
import type { Narrator } from './narrator.ts'
import { TURNS, type Turn } from './script.ts'

/** A turn, for programs. */
export interface TurnTold {
  turn: number
  user: string
  intent: string
  judged: Outcome['judged']
  action: string
  say: string
  sessionId: string
  states: string[]
  events: { sequence: number; type: string }[]
  commit?: Commit
  context?: { role: string; content: string }[]
}

const USER = 'ada'

/** Plays all turns in one conversation. */
export async function playTurns(tl: Throughline, conversation: string, narrator: Narrator): Promise<TurnTold[]> {
  const told: TurnTold[] = []
  for (const [i, turn] of TURNS.entries())
    told.push(await playTurn(tl, conversation, i + 1, turn, told.at(-1), narrator))
  return told
}

async function playTurn(
  tl: Throughline,
  conversation: string,
  number: number,
  { about, says, work, ends }: Turn,
  before: TurnTold | undefined,
  { part, line }: Narrator,
): Promise<TurnTold> {
  part(`Turn ${number}`, about)
  line('Ada', says, 'green')
  const outcome = await tl.conversations.handle(conversation, { userId: USER, message: says })
  line('handle()', judgementIn(outcome))
  // a message leaves a live session, or the one it ended
  const session = (outcome.session ?? outcome.ended) as Session
  const states = [await stateOf(session)]

  if (work !== undefined) line('observe', work(session.observe))
  if (ends !== undefined) {
    line('Agent', 'ask' in ends ? ends.ask : ends.propose, 'yellow')
    const { status } = 'ask' in ends ? await session.ask(ends.ask) : await session.propose(ends.propose)
    states.push(status.state)
  } else {
    line('Agent', outcome.say, 'yellow')
  }
  line('state', states.join(', then '), 'bold')
  const events = await newEvents(session, before)
  line('log', logLine(events), 'dim')
  const { intent, judged, action, say } = outcome
  const told = { turn: number, user: says, intent, judged, action, say, sessionId: session.id, states, events }
  if (outcome.ended !== undefined) return { ...told, commit: await showCommit(tl, conversation, line) }
  return ends === undefined ? { ...told, context: await showContext(session, line) } : told
}

async function showCommit(tl: Throughline, conversation: string, line: Narrator['line']): Promise<Commit> {
  const { items } = await tl.conversations.commits(conversation, { userId: USER })
  const commit = items.at(-1) as Commit
  const { summary, range, hash } = commit
  line(
    'commit',
    `${summary}\nStands for the events ${range?.from} to ${range?.to}, SHA-256 ${hash?.slice(0, 12)}…`,
    'cyan',
  )
  return commit
}

async function showContext(session: Session, line: Narrator['line']): Promise<{ role: string; content: string }[]> {
  const { messages } = await session.context({ maxTokens: 500 })
  const shown = messages.map(({ role, content }) => truncate(sanitizeLine(`${role}: ${content}`), 130))
  line('context()', shown.join('\n'), 'cyan')
  return messages.map(({ role, content }) => ({ role, content }))
}

function judgementIn({ action, intent, judged }: Outcome): string {
  if (action === 'started') return `${intent}: no session is live here, so one is started`
  return `${intent}, by the rule “${judged.rule}”: ${action}`
}

async function stateOf(session: Session): Promise<string> {
  return (await session.record()).status.state
}

function logLine(events: TurnTold['events']): string {
  return `${events[0]?.sequence} to ${events.at(-1)?.sequence}: ${events.map(({ type }) => type).join(', ')}`
}

async function newEvents(session: Session, before: TurnTold | undefined): Promise<TurnTold['events']> {
  const after = before?.sessionId === session.id ? (before.events.at(-1)?.sequence ?? 0) : 0
  const events: SessionEvent[] = await session.events({ after })
  return events.map(({ sequence, type }) => ({ sequence, type }))
}
