import { z } from 'zod'
import { answeredCallId, type SessionEvent, toolCallsOf } from '../domain/event.ts'
import { SESSION_STATES, type SessionRecord, type SessionStatus } from '../domain/record.ts'
import { MAX_TEXT, oneLine, truncate } from './response-limits.ts'

const text = z.string()

const waiting = z
  .object({ for: z.enum(['answer', 'confirmation', 'interruption']), text })
  .describe('The question that waits for an answer, the proposed end that waits for a yes, or what the user threw in.')

/** A session, as models see it. */
export const sessionSchema = z.object({
  id: text,
  conversationId: text,
  chatmode: text,
  task: text.optional(),
  state: z.enum(SESSION_STATES),
  waitsFor: waiting.optional(),
  activeAgent: text,
  head: z.int().describe('Sequence of the last event.'),
  turns: z.int().describe('User messages so far.'),
  startedAt: text,
  lastActivityAt: text,
  endedAt: text.optional(),
  workflow: text.optional(),
  gitBranch: text.optional(),
})

export type SessionView = z.output<typeof sessionSchema>

export function sessionView(record: SessionRecord, longest: number = MAX_TEXT): SessionView {
  const { id, conversationId, chatmode, task, status, activeAgent, head, turns } = record
  const { startedAt, lastActivityAt, endedAt, workflow, gitBranch } = record
  const waitsFor = pendingInput(status, longest)
  return {
    id,
    conversationId,
    chatmode,
    ...(task !== undefined && { task: truncate(task, longest) }),
    state: status.state,
    ...(waitsFor !== undefined && { waitsFor }),
    activeAgent,
    head,
    turns,
    startedAt,
    lastActivityAt,
    ...(endedAt !== undefined && { endedAt }),
    ...(workflow !== undefined && { workflow: truncate(workflow, longest) }),
    ...(gitBranch !== undefined && { gitBranch: truncate(gitBranch, longest) }),
  }
}

function pendingInput(status: SessionStatus, longest: number): SessionView['waitsFor'] {
  switch (status.state) {
    case 'awaiting_user':
      return { for: 'answer', text: truncate(status.question, longest) }
    case 'pending_complete':
      return { for: 'confirmation', text: truncate(status.summary, longest) }
    case 'interrupted':
      return { for: 'interruption', text: truncate(status.userMessage, longest) }
    default:
      return undefined
  }
}

/** One line on a session. */
export function sessionLine({
  id,
  state,
  task,
  conversationId,
  activeAgent,
  head,
  lastActivityAt,
}: SessionView): string {
  const what = task === undefined ? '' : `: ${oneLine(task)}`
  return `${id} ${state}${what} (conversation ${oneLine(conversationId, 60)}, agent ${activeAgent}, ${head} events, last ${lastActivityAt})`
}

const WAITING = {
  answer: 'Waits for the answer to',
  confirmation: 'Waits for the word that this is done',
  interruption: 'Waits until this is taken up',
} as const

/** A session in a few lines, with what it waits for. */
export function sessionText(session: SessionView): string {
  const { waitsFor } = session
  return waitsFor === undefined
    ? sessionLine(session)
    : `${sessionLine(session)}\n${WAITING[waitsFor.for]}: ${waitsFor.text}`
}

/** An event, as models see it. */
export const eventSchema = z.object({
  sequence: z.int(),
  type: text,
  role: text,
  content: text,
  toolCalls: z.array(z.object({ id: text, name: text, arguments: text })).optional(),
  callsLeftOut: z.int().optional().describe('Calls that found no room.'),
  toolCallId: text.optional().describe('The call that it answers.'),
  agent: text.optional(),
  at: text,
})

/** Characters of a text for each call that is shown beside it. */
const CALLS = 40

export type EventView = z.output<typeof eventSchema>

export function eventView(event: SessionEvent, longest: number): EventView {
  const { sequence, type, role, content, agentId, createdAt } = event
  const all = toolCallsOf(event)
  const calls = all.slice(0, Math.ceil(longest / CALLS)).map((call) => ({
    id: truncate(call.id, longest),
    name: truncate(String(call.name ?? ''), longest),
    arguments: truncate(
      typeof call.arguments === 'string' ? call.arguments : (JSON.stringify(call.arguments) ?? ''),
      longest,
    ),
  }))
  const toolCallId = answeredCallId(event)
  return {
    sequence,
    type,
    role,
    content: truncate(content, longest),
    ...(calls.length > 0 && { toolCalls: calls }),
    ...(calls.length < all.length && { callsLeftOut: all.length - calls.length }),
    ...(toolCallId !== undefined && { toolCallId: truncate(toolCallId, longest) }),
    ...(agentId !== undefined && { agent: truncate(agentId, longest) }),
    at: createdAt,
  }
}

/** An event as a paragraph: what kind it is, who speaks, and what was said. */
export function eventText(event: EventView): string {
  const { sequence, type, role, agent, content, toolCalls = [], callsLeftOut = 0, toolCallId } = event
  const who = agent === undefined ? role : `${role} ${oneLine(agent, 40)}`
  const answers = toolCallId === undefined ? '' : ` (answers ${oneLine(toolCallId, 60)})`
  const calls = toolCalls.map((call) => `  calls ${oneLine(call.name, 60)} ${call.arguments} (${oneLine(call.id, 60)})`)
  return [`[${sequence}] ${type}, ${who}${answers}: ${content}`, ...calls, ...omittedText(callsLeftOut, 'calls')].join(
    '\n',
  )
}

/** A word on what was left out; nothing if nothing was. */
export function omittedText(omitted: number, what: string): string[] {
  return omitted === 0 ? [] : [`(${omitted.toLocaleString('en')} ${what} left out)`]
}
