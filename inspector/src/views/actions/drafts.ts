import { signal } from '@preact/signals'
import { onUserChange } from '../../api/token.ts'
import type { SessionStatus } from '../../api/types.ts'
import type { ActionName, Values } from './action-table.ts'

/** The question that waits for an answer. */
export type Question = Extract<SessionStatus, { state: 'awaiting_user' }>

/** What was typed for the actions on one session, and not sent yet. */
export class Drafts {
  readonly values = signal<Partial<Readonly<Record<ActionName, Values>>>>({})
  /** What the answer was begun for. */
  question: Question | undefined

  /** Keeps what is typed. */
  type(name: ActionName, values: Values): void {
    const before = this.values.peek()
    this.values.value = { ...before, [name]: { ...before[name], ...values } }
  }

  /** It was sent. */
  drop(name: ActionName): void {
    const { [name]: _sent, ...others } = this.values.peek()
    this.values.value = others
  }
}

/** By session: a draft outlives its view, as when the token expires before it is sent. */
const kept = new Map<string, Drafts>()
onUserChange(() => kept.clear())

/** The drafts for a session. */
export function draftsOf(id: string): Drafts {
  const drafts = kept.get(id) ?? new Drafts()
  kept.set(id, drafts)
  return drafts
}
