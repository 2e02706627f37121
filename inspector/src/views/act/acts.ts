import { signal } from '@preact/signals'
import { ofSession, post } from '../../api/client.ts'
import { type Problem, problemOf } from '../../api/problem.ts'
import type { Commit, SessionEvent, SessionRecord, SessionState } from '../../api/types.ts'
import { eventHref, go, sessionHref } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { ACTIONS, type ActionName, bodyOf, type Values } from './actions.ts'
import { Attempts } from './attempts.ts'

/** What was done, and the event that tells of it. */
export interface Said {
  readonly text: string
  readonly href: string
  readonly sequence: number
}

/** The action whose dialog is open. */
export interface Opened {
  readonly name: ActionName
  /** The state that the session was in then. */
  readonly state: SessionState
  /** What stands in the fields until somebody types something else. */
  readonly values: Values
}

/** The actions on one session: what is filled in, what is on its way, and what came of it. */
export class Acts {
  readonly opened = signal<Opened | undefined>(undefined)
  /** What was typed stays until it went well, also when its dialog is closed. */
  readonly drafts = signal<Partial<Readonly<Record<ActionName, Values>>>>({})
  readonly sending = signal<ActionName | undefined>(undefined)
  readonly failed = signal<{ readonly name: ActionName; readonly problem: Problem } | undefined>(undefined)
  readonly said = signal<Said | undefined>(undefined)
  readonly #data: SessionData
  readonly #attempts = new Attempts()

  constructor(data: SessionData) {
    this.#data = data
  }

  /** Opens the dialog of an action. */
  open(name: ActionName, values: Values = {}): void {
    const record = this.#data.record.peek()
    if (record === undefined) return
    if (this.failed.peek()?.name !== name) this.failed.value = undefined
    this.opened.value = { name, state: record.status.state, values }
  }

  /** Closes the dialog. What is on its way goes on. */
  close(): void {
    this.opened.value = undefined
    if (this.sending.peek() === undefined) this.failed.value = undefined
  }

  /** Keeps what is typed. */
  type(name: ActionName, values: Values): void {
    this.drafts.value = { ...this.drafts.peek(), [name]: values }
  }

  /** Does it. One at a time: a second click while the first is on its way does nothing. */
  async send(name: ActionName, values: Values): Promise<void> {
    if (this.sending.peek() !== undefined) return
    this.sending.value = name
    this.failed.value = undefined
    this.said.value = undefined
    try {
      await this.#send(name, bodyOf(name, values))
    } catch (error) {
      this.failed.value = { name, problem: problemOf(error) }
      // a refusal often means that somebody else was faster
      await this.#data.refresh()
    }
    this.sending.value = undefined
  }

  async #send(name: ActionName, body: object): Promise<void> {
    const { id } = this.#data
    const { path, done } = ACTIONS[name]
    const answer = await post<Answer>(ofSession(id, path), body, this.#attempts.keyFor(path, body))
    this.#attempts.done(path)
    const { [name]: _sent, ...drafts } = this.drafts.peek()
    this.drafts.value = drafts
    if (name === 'fork') return go(sessionHref((answer as SessionRecord).id))
    await this.#data.refresh()
    const sequence = sequenceIn(answer)
    this.said.value = { text: done, href: eventHref(id, sequence), sequence }
    if (this.opened.peek()?.name === name) this.opened.value = undefined
  }
}

type Answer = SessionRecord | Commit | { readonly items: readonly SessionEvent[] }

/** The event that tells of what was done. The commit of a session stands right behind the events it stands for. */
function sequenceIn(answer: Answer): number {
  if ('items' in answer) return answer.items.at(-1)?.sequence ?? 1
  return 'head' in answer ? answer.head : (answer.range?.to ?? 0) + 1
}
