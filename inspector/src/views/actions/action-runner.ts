import { signal } from '@preact/signals'
import { call, post, type Request, sessionPath } from '../../api/client.ts'
import { Problem, toProblem } from '../../api/problem.ts'
import type { Commit, SessionEvent, SessionRecord, SessionState } from '../../api/types.ts'
import { eventHref, navigate, sessionHref } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { ACTIONS, type ActionName, actionPath, bodyOf, changesState, isReply, type Values } from './action-table.ts'
import { draftsOf } from './drafts.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'

/** What was done, and the event that records it. */
export interface ActionResult {
  readonly text: string
  readonly event?: { readonly href: string; readonly sequence: number }
}

/** The action whose dialog is open. */
export interface OpenAction {
  readonly name: ActionName
  /** State of the session when it was opened. */
  readonly state: SessionState
  /** Initial values of the fields. */
  readonly values: Values
}

/** Runs actions on one session: keeps drafts, requests under way, and results. */
export class ActionRunner {
  readonly opened = signal<OpenAction | undefined>(undefined)
  /** A draft stays until it was sent, even when its dialog is closed. */
  readonly drafts
  readonly sending = signal<ReadonlyMap<ActionName, AbortController>>(new Map())
  readonly failed = signal<{ readonly name: ActionName; readonly problem: Problem } | undefined>(undefined)
  readonly said = signal<ActionResult | undefined>(undefined)
  readonly #data: SessionData
  readonly #attempts = new IdempotencyKeys()

  constructor(data: SessionData) {
    this.#data = data
    this.drafts = draftsOf(data.id)
  }

  /** Opens the dialog of an action. */
  open(name: ActionName, values: Values = {}): void {
    const record = this.#data.record.peek()
    if (record === undefined) return
    if (this.failed.peek()?.name !== name) this.failed.value = undefined
    // a draft belongs to the message it replaces
    if (name === 'replace' && this.drafts.values.peek().replace?.['sequence'] !== values['sequence']) {
      this.drafts.drop(name)
      this.drafts.type(name, values)
    }
    this.opened.value = { name, state: record.status.state, values }
  }

  /** Closes the dialog of an action and cancels its request. */
  close(name: ActionName): void {
    if (this.opened.peek()?.name !== name) return
    this.opened.value = undefined
    this.failed.value = undefined
    this.sending.peek().get(name)?.abort()
  }

  /** Stores what was typed. */
  type(name: ActionName, values: Values): void {
    this.drafts.type(name, values)
  }

  /** Sends an action. A second click while it is under way does nothing. */
  async send(name: ActionName, values: Values): Promise<void> {
    if (this.sending.peek().has(name)) return
    const control = new AbortController()
    this.sending.value = new Map(this.sending.peek()).set(name, control)
    this.failed.value = undefined
    this.said.value = undefined
    try {
      await this.#send(name, bodyOf(name, values), control.signal)
    } catch (error) {
      if (control.signal.aborted)
        this.said.value = { text: `${ACTIONS[name].name}: cancelled. The server may already have processed it.` }
      else this.failed.value = { name, problem: toProblem(error) }
      // a refusal often means that somebody else acted first
      void this.#data.refresh()
    }
    const others = new Map(this.sending.peek())
    others.delete(name)
    this.sending.value = others
  }

  async #send(name: ActionName, body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<void> {
    const { id } = this.#data
    const path = actionPath(name)
    const key = await this.#keyFor(name, body, await this.#look(name, signal), signal)
    const answer = await post<Answer>(sessionPath(id, path), body, key, signal)
    this.#attempts.done(path)
    this.drafts.drop(name)
    if (name === 'fork') return navigate(sessionHref((answer as SessionRecord).id))
    await this.#data.refresh()
    const sequence = sequenceIn(answer)
    if (name === 'cancel' && (answer as SessionRecord).run === undefined)
      this.said.value = { text: 'The run had already ended.' }
    else {
      const text = isOfAnother(answer, body)
        ? 'The session already had a commit; yours was not used.'
        : ACTIONS[name].done
      this.said.value = { text, event: { href: eventHref(id, sequence), sequence } }
    }
    if (this.opened.peek()?.name === name) this.opened.value = undefined
  }

  /** The end of the log. A reply is not sent if the status it replies to is no longer the one that was shown. */
  async #look(name: ActionName, signal: AbortSignal): Promise<number> {
    const shown = this.#data.record.peek()?.status
    const { status, head } = await this.#data.read(signal)
    if (isReply(name) && JSON.stringify(status) !== JSON.stringify(shown)) throw changed()
    return head
  }

  /** Reuses the key of an earlier attempt, unless more has happened since than that attempt can have done. */
  async #keyFor(name: ActionName, body: object, head: number, signal: AbortSignal): Promise<string> {
    const path = actionPath(name)
    const { key, since } = this.#attempts.keyFor(path, body, head)
    if (since === head) return key
    const own = changesState(name) ? 1 : 0
    const query = { types: ['status_changed'], after: since, limit: own + 1 }
    const request = { query, signal, hasTimeout: true } satisfies Request
    const { items } = await call<{ items: SessionEvent[] }>(sessionPath(this.#data.id, '/events'), request)
    if (items.length <= own) return key
    this.#attempts.done(path)
    return this.#attempts.keyFor(path, body, head).key
  }
}

type Answer = SessionRecord | Commit | SessionEvent | { readonly items: readonly SessionEvent[] }

/** The event that records the action. A commit comes right after the events it covers. */
function sequenceIn(answer: Answer): number {
  if ('items' in answer) return answer.items.at(-1)?.sequence ?? 1
  if ('sequence' in answer) return answer.sequence
  return 'head' in answer ? answer.head : (answer.range?.to ?? 0) + 1
}

/** A session has one commit: somebody else may have made it first. */
function isOfAnother(answer: Answer, { summary }: Readonly<Record<string, unknown>>): boolean {
  return 'summary' in answer && summary !== undefined && answer.summary !== summary
}

const changed = () =>
  new Problem({
    code: 'CHANGED',
    detail: 'The session changed after it was shown, so nothing was sent. Check it, then send again.',
    status: 0,
  })
