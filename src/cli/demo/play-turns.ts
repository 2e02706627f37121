import type { Commit, Outcome, Session, Throughline } from '../../api.ts'
import type { DemoObservation } from '../../demo/script.ts'
import { TURNS, type Turn } from '../../demo/turns.ts'
import { sanitizeLine, truncate } from '../text.ts'
import type { Narrator } from './narrator.ts'

/** What happened in a turn, for `--json`. */
export interface TurnReport {
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
export async function playTurns(tl: Throughline, conversation: string, narrator: Narrator): Promise<TurnReport[]> {
  const reports: TurnReport[] = []
  for (const [i, turn] of TURNS.entries())
    reports.push(await playTurn(tl, conversation, i + 1, turn, reports.at(-1), narrator))
  return reports
}

async function playTurn(
  tl: Throughline,
  conversation: string,
  number: number,
  { about, says, observations = [], work, ends }: Turn,
  before: TurnReport | undefined,
  { part, line }: Narrator,
): Promise<TurnReport> {
  part(`Turn ${number}`, about)
  line('Ada', says, 'green')
  const outcome = await tl.conversations.handle(conversation, { userId: USER, message: says })
  line('handle()', describeOutcome(outcome))
  // the live session, or the one that the message ended
  const session = (outcome.session ?? outcome.ended) as Session
  const states = [await stateOf(session)]

  for (const observation of observations) observe(session, observation)
  if (work !== undefined) line('observe', work)
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
  const report = { turn: number, user: says, intent, judged, action, say, sessionId: session.id, states, events }
  if (outcome.ended !== undefined) return { ...report, commit: await showCommit(tl, conversation, line) }
  return ends === undefined ? { ...report, context: await showContext(session, line) } : report
}

/** Stages an observation: the next change of state writes it to the log. */
function observe(session: Session, { kind, ...observed }: DemoObservation): void {
  const record = session.observe[kind] as (input: unknown) => void
  record('text' in observed ? observed.text : 'edges' in observed ? observed.edges : observed)
}

async function showCommit(tl: Throughline, conversation: string, line: Narrator['line']): Promise<Commit> {
  const { items } = await tl.conversations.commits(conversation, { userId: USER })
  const commit = items.at(-1) as Commit
  const { summary, range, hash } = commit
  line('commit', `${summary}\nCovers events ${range?.from} to ${range?.to}, SHA-256 ${hash?.slice(0, 12)}…`, 'cyan')
  return commit
}

async function showContext(session: Session, line: Narrator['line']): Promise<{ role: string; content: string }[]> {
  const { messages } = await session.context({ maxTokens: 500 })
  const shown = messages.map(({ role, content }) => truncate(sanitizeLine(`${role}: ${content}`), 130))
  line('context()', shown.join('\n'), 'cyan')
  return messages.map(({ role, content }) => ({ role, content }))
}

function describeOutcome({ action, intent, judged }: Outcome): string {
  if (action === 'started') return `${intent}: the conversation has no live session, so one starts`
  return `${intent}, by the rule “${judged.rule}”: ${action}`
}

async function stateOf(session: Session): Promise<string> {
  return (await session.record()).status.state
}

function logLine(events: TurnReport['events']): string {
  return `${events[0]?.sequence} to ${events.at(-1)?.sequence}: ${events.map(({ type }) => type).join(', ')}`
}

async function newEvents(session: Session, before: TurnReport | undefined): Promise<TurnReport['events']> {
  const after = before?.sessionId === session.id ? (before.events.at(-1)?.sequence ?? 0) : 0
  const events = await session.events({ after })
  return events.map(({ sequence, type }) => ({ sequence, type }))
}
