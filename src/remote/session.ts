import type { ForkOptions, Session, WriteOptions } from '../api.ts'
import type { Principal, Scope, SessionRecord } from '../domain/record.ts'
import { compactInput } from '../features/compaction/schema.ts'
import type { KeyedMutex } from '../features/kernel/keyed-mutex.ts'
import { parse } from '../features/kernel/parse.ts'
import { uuid7 } from '../ids.ts'
import type { Connection } from './connection.ts'
import type { ObservationBuffer } from './observation-buffer.ts'
import { idempotencyKeyOf, write } from './path.ts'
import { toJson } from './request.ts'
import { scopeKey } from './scope.ts'
import { logCalls } from './session-log.ts'
import { viewCalls } from './session-views.ts'

/** What the calls of one caller need. */
export interface Client {
  readonly connection: Connection
  /** Absent for the operator. */
  readonly principal?: Principal | undefined
  readonly observations: ObservationBuffer
  /** Lets the messages of one conversation go one after the other. */
  readonly messageMutex: KeyedMutex
}

/** A session, by what tells it apart: the handle holds no data. */
export function remoteSession(client: Client, record: Scope & Pick<SessionRecord, 'id'>): Session {
  const { connection, observations: staged } = client
  const { id } = record
  const path = `/sessions/${id}`
  return {
    id,
    ...logCalls(connection, path),
    ...viewCalls(connection, path),
    ...lifecycleCalls(client, id, path),
    observe: staged.observe(id, scopeKey(record)),
    fork: async (options: ForkOptions = {}) => {
      return remoteSession(client, await write<SessionRecord>(connection, 'POST', `${path}/fork`, toJson(options), {}))
    },
    compact: async (summary, { onProgress, ...options } = {}) => {
      const { idempotencyKey: key = uuid7() } = parse(compactInput, { ...options, summary })
      const call = { method: 'POST', path: `${path}/compact`, key, body: toJson({ summary }) } as const
      return await connection.requestWithProgress(call, onProgress)
    },
  }
}

type LifecycleCall =
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
function lifecycleCalls(
  { connection, observations: staged }: Client,
  id: string,
  path: string,
): Pick<Session, LifecycleCall> {
  const step = async <T = SessionRecord>(name: string, body: object, options: WriteOptions | undefined): Promise<T> => {
    const call = { method: 'POST', path: `${path}/${name}`, key: idempotencyKeyOf(options) } as const
    return await staged.sendForSession<T>(connection, id, call, body)
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
