import type { Session } from '../api.ts'
import { defined } from '../domain/optional.ts'
import { switchInput } from '../features/agents/schema.ts'
import { contextOptions, reduceOptions } from '../features/context/schema.ts'
import { name, parse } from '../features/kernel/parse.ts'
import { requestsQuery } from '../features/requests/schema.ts'
import { graphQuery } from '../features/work/schema.ts'
import type { Connection } from './connection.ts'
import { encodeSegment } from './path.ts'
import { toJson } from './request.ts'

type StateCall = 'state' | 'updateState' | 'replaceState' | 'addToState' | 'incrementState' | 'passGate'
type AgentCall = 'handoff' | 'takeHandoff' | 'setActiveAgent' | 'recordTransition' | 'transitions'
type RequestCall = 'request' | 'resolve' | 'requests'
type OtherCall = 'envelope' | 'updateEnvelope' | 'graph' | 'progress' | 'reduce' | 'context'

/** Calls that read and change the views of a session. */
export function viewCalls(
  connection: Connection,
  path: string,
): Pick<Session, StateCall | AgentCall | RequestCall | OtherCall> {
  const write = async <T>(method: 'PATCH' | 'PUT' | 'POST', view: string, body: string | undefined, options?: object) =>
    await connection.write<T>(method, `${path}/${view}`, body, options)
  return {
    state: () => connection.get(`${path}/state`),
    updateState: async (patch, options) => await write('PATCH', 'state', toJson(patch, 'patch'), options),
    replaceState: async (value, options) => await write('PUT', 'state', toJson(value, 'value'), options),
    addToState: async (key, value, options) => await write('POST', 'state/add', toJson({ key, value }), options),
    incrementState: async (key, by, options) => await write('POST', 'state/increment', toJson({ key, by }), options),
    passGate: async (gate, note, options) => await write('POST', 'gates', toJson({ gate, note }), options),

    handoff: async (handoff, options) => await write('POST', 'handoff', toJson(handoff), options),
    takeHandoff: async (options) => await write('POST', 'handoff/take', undefined, options),
    setActiveAgent: async (agent, options) => {
      const { idempotencyKey, ...body } = parse(switchInput, { ...options, agent })
      return await write('PUT', 'agent', toJson(body), defined({ idempotencyKey }))
    },
    recordTransition: async (transition, options) => await write('POST', 'transitions', toJson(transition), options),
    transitions: async () => (await connection.get<{ items: never[] }>(`${path}/transitions`)).items,

    request: async (request, options) => await write('POST', 'requests', toJson(request), options),
    resolve: async (id, value, options) => {
      const one = `requests/${encodeSegment(parse(name, id, 'id'), 'id')}/resolve`
      return await write('POST', one, toJson({ value }), options)
    },
    requests: async (query = {}) => {
      parse(requestsQuery, query)
      return await connection.get(`${path}/requests`, query)
    },

    envelope: () => connection.get(`${path}/envelope`),
    updateEnvelope: async (patch, options) => await write('PATCH', 'envelope', toJson(patch), options),
    graph: async (query = {}) => {
      parse(graphQuery, query)
      return await connection.get(`${path}/graph`, query)
    },
    progress: async () => (await connection.get<{ text: string }>(`${path}/progress`)).text,
    reduce: async (options) => {
      const { idempotencyKey, ...body } = parse(reduceOptions, options)
      return await write('POST', 'reduce', toJson(body), defined({ idempotencyKey }))
    },
    // one route for both signatures: the format decides what it returns
    context: (async (options: object) => {
      const { recall, record } = parse(contextOptions, options)
      // the server logs what it recalls
      const idempotent = recall === false || !record
      return await connection.request({ method: 'POST', path: `${path}/context`, body: toJson(options), idempotent })
    }) as Session['context'],
  }
}
