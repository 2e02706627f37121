import { z } from 'zod'
import { answeredCallId, type SessionEvent, toolCallsOf } from '../domain/event.ts'
import { defined } from '../domain/optional.ts'
import { SESSION_STATES, type SessionRecord, type SessionStatus } from '../domain/record.ts'
import { MAX_TEXT, oneLine, truncate } from './response-limits.ts'

const text = z.string()

const waitsFor = z
  .object({ for: z.enum(['answer', 'confirmation', 'interruption']), text })
  .describe('The open question, the proposed result, or the message that interrupted the work.')

/** A session as models see it. */
export const sessionSchema = z.object({
  id: text,
  conversationId: text,
  chatmode: text,
  task: text.optional(),
  state: z.enum(SESSION_STATES),
  waitsFor: waitsFor.optional(),
  activeAgent: text,
  head: z.int().describe('Sequence number of the last event.'),
  turns: z.int().describe('Number of user messages.'),
  startedAt: text,
  lastActivityAt: text,
  endedAt: text.optional(),
  workflow: text.optional(),
  gitBranch: text.optional(),
  parent: text.optional().describe('Id of the session whose sub-agent it is.'),
})

export type SessionView = z.output<typeof sessionSchema>

export function sessionView(record: SessionRecord, maxText: number = MAX_TEXT): SessionView {
  const { id, conversationId, chatmode, status, activeAgent, head, turns, startedAt, lastActivityAt } = record
  const { task, workflow, gitBranch, endedAt, parent } = record
  const truncated = (value: string | undefined) => (value === undefined ? undefined : truncate(value, maxText))
  return defined({
    id,
    conversationId,
    chatmode,
    task: truncated(task),
    state: status.state,
    waitsFor: pendingInput(status, maxText),
    activeAgent,
    head,
    turns,
    startedAt,
    lastActivityAt,
    endedAt,
    workflow: truncated(workflow),
    gitBranch: truncated(gitBranch),
    parent: parent?.sessionId,
  })
}

function pendingInput(status: SessionStatus, maxText: number): SessionView['waitsFor'] {
  switch (status.state) {
    case 'awaiting_user':
      return { for: 'answer', text: truncate(status.question, maxText) }
    case 'pending_complete':
      return { for: 'confirmation', text: truncate(status.summary, maxText) }
    case 'interrupted':
      return { for: 'interruption', text: truncate(status.userMessage, maxText) }
    default:
      return undefined
  }
}

/** One line about a session. */
export function sessionLine(session: SessionView): string {
  const { id, state, task, conversationId, activeAgent, head, lastActivityAt } = session
  const about = task === undefined ? '' : `: ${oneLine(task)}`
  const details = [
    `conversation ${oneLine(conversationId, 60)}`,
    `agent ${activeAgent}`,
    `${head} events`,
    `last activity ${lastActivityAt}`,
  ]
  return `${id} ${state}${about} (${details.join(', ')})`
}

const WAITING = {
  answer: 'Waiting for the answer to',
  confirmation: 'Waiting for confirmation of',
  interruption: 'Waiting for a response to this interruption',
} as const

/** A session in a few lines, with what it waits for. */
export function sessionText(session: SessionView): string {
  const { waitsFor: pending } = session
  return pending === undefined
    ? sessionLine(session)
    : `${sessionLine(session)}\n${WAITING[pending.for]}: ${pending.text}`
}

/** An event as models see it. */
export const eventSchema = z.object({
  sequence: z.int(),
  type: text,
  role: text,
  content: text,
  toolCalls: z.array(z.object({ id: text, name: text, arguments: text })).optional(),
  callsLeftOut: z.int().optional().describe('Tool calls omitted to fit the response.'),
  toolCallId: text.optional().describe('The tool call this event answers.'),
  agent: text.optional(),
  at: text,
})

/** Characters of text per tool call that is shown. */
const TEXT_PER_CALL = 40

export type EventView = z.output<typeof eventSchema>

export function eventView(event: SessionEvent, maxText: number): EventView {
  const { sequence, type, role, content, agentId, createdAt } = event
  const all = toolCallsOf(event)
  const calls = all.slice(0, Math.ceil(maxText / TEXT_PER_CALL)).map(({ id, name, arguments: args }) => ({
    id: truncate(id, maxText),
    name: truncate(String(name ?? ''), maxText),
    arguments: truncate(typeof args === 'string' ? args : (JSON.stringify(args) ?? ''), maxText),
  }))
  const toolCallId = answeredCallId(event)
  return defined({
    sequence,
    type,
    role,
    content: truncate(content, maxText),
    toolCalls: calls.length > 0 ? calls : undefined,
    callsLeftOut: calls.length < all.length ? all.length - calls.length : undefined,
    toolCallId: toolCallId === undefined ? undefined : truncate(toolCallId, maxText),
    agent: agentId === undefined ? undefined : truncate(agentId, maxText),
    at: createdAt,
  })
}

/** A message or event with its tool calls as a paragraph. */
export function messageText(message: {
  who: string
  agent: string | undefined
  toolCallId: string | undefined
  content: string
  toolCalls?: readonly { id: string; name: string; arguments: string }[] | undefined
}): string {
  const { who, agent, toolCallId, content, toolCalls = [] } = message
  const speaker = agent === undefined ? who : `${who} ${oneLine(agent, 40)}`
  const answers = toolCallId === undefined ? '' : ` (answers ${oneLine(toolCallId, 60)})`
  const calls = toolCalls.map(
    (call) => `  calls ${oneLine(call.name, 128)} ${call.arguments} (${oneLine(call.id, 60)})`,
  )
  return [`${speaker}${answers}: ${content}`, ...calls].join('\n')
}

/** An event as a paragraph: its type, the speaker and the text. */
export function eventText(event: EventView): string {
  const { sequence, type, role, agent, content, toolCalls, callsLeftOut = 0, toolCallId } = event
  const who = `[${sequence}] ${type}, ${role}`
  const paragraph = messageText({ who, agent, toolCallId, content, toolCalls })
  return [paragraph, ...omittedText(callsLeftOut, 'calls')].join('\n')
}

/** Says how many were omitted; empty if none. */
export function omittedText(omitted: number, what: string): string[] {
  return omitted === 0 ? [] : [`(${omitted.toLocaleString('en')} ${what} omitted)`]
}
