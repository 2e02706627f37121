import type { ForkOptions, Session, WriteOptions } from '../api.ts'
import type { Principal, Scope, SessionRecord } from '../domain/record.ts'
import { compactInput } from '../features/compaction/schema.ts'
import type { KeyedMutex } from '../features/kernel/keyed-mutex.ts'
import { parse } from '../features/kernel/parse.ts'
import { uuid7 } from '../ids.ts'
import { type Connection, idempotencyKeyOf } from './connection.ts'
import type { ObservationBuffer } from './observation-buffer.ts'
import { toJson } from './request.ts'
import { runSessionCalls } from './runs.ts'
import { scopeKey } from './scope.ts'
import { logCalls } from './session-log.ts'
import { viewCalls } from './session-views.ts'

/** What the calls of one caller need. */
export interface Client {
  readonly connection: Connection
  /** Absent for the operator. */
  readonly principal?: Principal | undefined
  readonly observations: ObservationBuffer
  /** Sends the messages of one conversation in order. */
  readonly messageMutex: KeyedMutex
}

/** A handle on a session; it holds no data. */
export function remoteSession(client: Client, record: Scope & Pick<SessionRecord, 'id'>): Session {
  const { connection, observations } = client
  const { id } = record
  const path = `/sessions/${id}`
  return {
    id,
    ...logCalls(connection, path),
    ...viewCalls(connection, path),
    ...lifecycleCalls(client, id, path),
    ...runSessionCalls(connection, id, (own) => remoteSession({ ...client, connection: own }, record)),
    observe: observations.observe(id, scopeKey(record)),
    fork: async (options: ForkOptions = {}) =>
      remoteSession(client, await connection.write<SessionRecord>('POST', `${path}/fork`, toJson(options), {})),
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
  | 'rewind'
  | 'replaceMessage'

/** Calls that carry the buffered observations of the session. */
function lifecycleCalls({ connection, observations }: Client, id: string, path: string): Pick<Session, LifecycleCall> {
  const send = async <T = SessionRecord>(name: string, body: object, options: WriteOptions | undefined): Promise<T> => {
    const call = { method: 'POST', path: `${path}/${name}`, key: idempotencyKeyOf(options) } as const
    return await observations.sendForSession<T>(connection, id, call, body)
  }
  return {
    ask: (question, options) => send('ask', { question }, options),
    answer: (text, options) => send('answer', { text }, options),
    interrupt: (text, options) => send('interrupt', { text }, options),
    incorporate: (note, options) => send('incorporate', { note }, options),
    propose: (summary, options) => send('propose', { summary }, options),
    confirm: (options) => send('confirm', {}, options),
    continueWith: (request, options) => send('continue', { request }, options),
    abort: (reason, options) => send('abort', { reason }, options),
    end: (options) => send('end', {}, options),
    flushStep: (options) => send('steps', {}, options),
    rewind: (rewind, options) => send('rewind', rewind, options),
    replaceMessage: (sequence, message, options) => send('replace', { sequence, message }, options),
  }
}
