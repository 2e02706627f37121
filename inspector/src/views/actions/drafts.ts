import { signal } from '@preact/signals'
import { onUserChange } from '../../api/token.ts'
import type { SessionStatus } from '../../api/types.ts'
import type { ActionName, Values } from './action-table.ts'

/** An open question. */
export type Question = Extract<SessionStatus, { state: 'awaiting_user' }>

/** Unsent input for the actions on one session. */
export class Drafts {
  readonly values = signal<Partial<Readonly<Record<ActionName, Values>>>>({})
  /** The question that the draft answers. */
  question: Question | undefined

  /** Stores what was typed. */
  type(name: ActionName, values: Values): void {
    const before = this.values.peek()
    this.values.value = { ...before, [name]: { ...before[name], ...values } }
  }

  /** Removes a draft that was sent. */
  drop(name: ActionName): void {
    const { [name]: _sent, ...others } = this.values.peek()
    this.values.value = others
  }
}

/** By session: a draft outlives its view, for example when the token expires before it is sent. */
const kept = new Map<string, Drafts>()
onUserChange(() => kept.clear())

/** The drafts for a session. */
export function draftsOf(id: string): Drafts {
  const drafts = kept.get(id) ?? new Drafts()
  kept.set(id, drafts)
  return drafts
}
