import { readFileSync } from 'node:fs'
import { classifyByRules, MESSAGE_INTENTS, type MessageIntent } from '../../../src/domain/classify.ts'
import type { SessionStatus } from '../../../src/domain/record.ts'

/** A message with the intent a person gave it. See README.md for how labels are decided. */
export interface Labelled {
  message: string
  state: 'running' | 'awaiting_user' | 'interrupted' | 'pending_complete'
  question?: string
  summary?: string
  task?: string
  intent: MessageIntent
}

/** Rules are tuned on `tune`; `held` is only reported on. */
export type Part = 'tune' | 'held'

export function readLabelled(part: Part): Labelled[] {
  const lines = readFileSync(new URL(`${part}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as Labelled)
}

export function statusOf({ state, question = '', summary = '' }: Labelled): SessionStatus {
  switch (state) {
    case 'running':
      return { state }
    case 'awaiting_user':
      return { state, question, askedAt: '2026-01-01T00:00:00.000Z' }
    case 'interrupted':
      return { state, userMessage: '' }
    case 'pending_complete':
      return { state, summary }
  }
}

/** How often each label was given each intent, and what follows from it. */
export interface Score {
  table: Record<MessageIntent, Record<MessageIntent, number>>
  accuracy: number
  /** Of the messages given this intent, the share that has the label. */
  precision: Record<MessageIntent, number>
  /** Of the messages with this label, the share that was given it. */
  recall: Record<MessageIntent, number>
}

const forEachIntent = <T>(make: (intent: MessageIntent) => T) =>
  Object.fromEntries(MESSAGE_INTENTS.map((intent) => [intent, make(intent)])) as Record<MessageIntent, T>

export function score(rows: readonly Labelled[]): Score {
  const table = forEachIntent(() => forEachIntent(() => 0))
  for (const row of rows) {
    table[row.intent][classifyByRules({ message: row.message, status: statusOf(row), task: row.task })]++
  }
  const right = MESSAGE_INTENTS.reduce((sum, intent) => sum + table[intent][intent], 0)
  const given = (intent: MessageIntent) => MESSAGE_INTENTS.reduce((sum, label) => sum + table[label][intent], 0)
  const labelled = (intent: MessageIntent) => Object.values(table[intent]).reduce((sum, n) => sum + n, 0)
  return {
    table,
    accuracy: right / rows.length,
    precision: forEachIntent((intent) => table[intent][intent] / given(intent)),
    recall: forEachIntent((intent) => table[intent][intent] / labelled(intent)),
  }
}
