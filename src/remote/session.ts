import type { ForkOptions, Session, WriteOptions } from '../api.ts'
import type { Principal, Scope, SessionRecord } from '../domain/record.ts'
import { compactInput } from '../features/compaction/schema.ts'
import type { KeyedMutex } from '../features/kernel/keyed-mutex.ts'
import { parse } from '../features/kernel/parse.ts'
import { uuid7 } from '../ids.ts'
import type { Connection } from './connection.ts'
import type { Staged } from './observation-buffer.ts'
import { jsonOf } from './request.ts'
import { scopeKey } from './scope.ts'
import { logOf } from './session-log.ts'
import { viewsOf } from './session-views.ts'
import { keyFor, write } from './writing.ts'

/** What the calls of one caller need. */
export interface Client {
  readonly connection: Connection
  /** Absent for the operator. */
  readonly principal?: Principal | undefined
  readonly staged: Staged
  /** Lets the messages of one conversation go one after the other. */
  readonly turns: KeyedMutex
}

/** A session, by what tells it apart: the handle holds no data. */
export function sessionOf(client: Client, record: Scope & Pick<SessionRecord, 'id'>): Session {
  const { connection, staged } = client
  const { id } = record
  const path = `/sessions/${id}`
  return {
    id,
    ...logOf(connection, path),
    ...viewsOf(connection, path),
    ...lifeOf(client, id, path),
    observe: staged.observe(id, scopeKey(record)),
    fork: async (options: ForkOptions = {}) => {
      return sessionOf(client, await write<SessionRecord>(connection, 'POST', `${path}/fork`, jsonOf(options), {}))
    },
    compact: async (summary, { onProgress, ...options } = {}) => {
      const { idempotencyKey: key = uuid7() } = parse(compactInput, { ...options, summary })
      const call = { method: 'POST', path: `${path}/compact`, key, body: jsonOf({ summary }) } as const
      return await connection.work(call, onProgress)
    },
  }
}

type Life =
  | 'ask'
  | 'answer'
  | 'interrupt'
  | 'incorporate'
  | 'propose'
  | 'confirm'
  | 'continueWith'
  | 'abort'
  | 'end'
  | 'flushStep'

/** The steps of a session's life; what was observed goes along. */
function lifeOf({ connection, staged }: Client, id: string, path: string): Pick<Session, Life> {
  const step = async <T = SessionRecord>(name: string, body: object, options: WriteOptions | undefined): Promise<T> => {
    const call = { method: 'POST', path: `${path}/${name}`, key: keyFor(options) } as const
    return await staged.send<T>(connection, id, call, body)
  }
  return {
    ask: (question, options) => step('ask', { question }, options),
    answer: (text, options) => step('answer', { text }, options),
    interrupt: (text, options) => step('interrupt', { text }, options),
    incorporate: (note, options) => step('incorporate', { note }, options),
    propose: (summary, options) => step('propose', { summary }, options),
    confirm: (options) => step('confirm', {}, options),
    continueWith: (request, options) => step('continue', { request }, options),
    abort: (reason, options) => step('abort', { reason }, options),
    end: (options) => step('end', {}, options),
    flushStep: (options) => step('steps', {}, options),
  }
}
