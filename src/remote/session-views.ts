import type { Session } from '../api.ts'
import { switchInput } from '../features/agents/schema.ts'
import { contextOptions, reduceOptions } from '../features/context/schema.ts'
import { parse } from '../features/kernel/parse.ts'
import { graphQuery } from '../features/work/schema.ts'
import type { Connection } from './connection.ts'
import { read, write } from './path.ts'
import { toJson } from './request.ts'

type State = 'state' | 'updateState' | 'replaceState' | 'addToState' | 'incrementState' | 'passGate'
type Agents = 'handoff' | 'takeHandoff' | 'setActiveAgent' | 'recordTransition' | 'transitions'
type Others = 'envelope' | 'updateEnvelope' | 'graph' | 'progress' | 'reduce' | 'context'

/** The views of a session, and how they are changed. */
export function viewCalls(connection: Connection, path: string): Pick<Session, State | Agents | Others> {
  return { ...stateCalls(connection, path), ...agentCalls(connection, path), ...otherCalls(connection, path) }
}

function stateCalls(connection: Connection, path: string): Pick<Session, State> {
  const change = async <T>(method: 'PATCH' | 'PUT' | 'POST', below: string, body: string, options?: object) =>
    await write<T>(connection, method, `${path}${below}`, body, options)
  return {
    state: () => read(connection, `${path}/state`),
    updateState: async (patch, options) => await change('PATCH', '/state', toJson(patch, 'patch'), options),
    replaceState: async (value, options) => await change('PUT', '/state', toJson(value, 'value'), options),
    addToState: async (key, value, options) => await change('POST', '/state/add', toJson({ key, value }), options),
    incrementState: async (key, by, options) => await change('POST', '/state/increment', toJson({ key, by }), options),
    passGate: async (gate, note, options) => await change('POST', '/gates', toJson({ gate, note }), options),
  }
}

function agentCalls(connection: Connection, path: string): Pick<Session, Agents> {
  return {
    handoff: async (handoff, options) => await write(connection, 'POST', `${path}/handoff`, toJson(handoff), options),
    takeHandoff: async (options) => await write(connection, 'POST', `${path}/handoff/take`, undefined, options),
    setActiveAgent: async (agent, options) => {
      const { idempotencyKey, ...given } = parse(switchInput, { ...options, agent })
      const key = idempotencyKey === undefined ? {} : { idempotencyKey }
      return await write(connection, 'PUT', `${path}/agent`, toJson(given), key)
    },
    recordTransition: async (transition, options) =>
      await write(connection, 'POST', `${path}/transitions`, toJson(transition), options),
    transitions: async () => (await read<{ items: never[] }>(connection, `${path}/transitions`)).items,
  }
}

function otherCalls(connection: Connection, path: string): Pick<Session, Others> {
  return {
    envelope: () => read(connection, `${path}/envelope`),
    updateEnvelope: async (patch, options) =>
      await write(connection, 'PATCH', `${path}/envelope`, toJson(patch), options),
    graph: async (query = {}) => {
      parse(graphQuery, query)
      return await read(connection, `${path}/graph`, query)
    },
    progress: async () => (await read<{ text: string }>(connection, `${path}/progress`)).text,
    reduce: async (options) => {
      const { idempotencyKey, ...given } = parse(reduceOptions, options)
      const key = idempotencyKey === undefined ? {} : { idempotencyKey }
      return await write(connection, 'POST', `${path}/reduce`, toJson(given), key)
    },
    // one route behind both signatures: the format decides what comes back
    context: (async (options: object) => {
      const { recall, record } = parse(contextOptions, options)
      const body = toJson(options)
      // what is recalled is logged
      const idempotent = recall === false || !record
      return await connection.request({ method: 'POST', path: `${path}/context`, body, idempotent })
    }) as Session['context'],
  }
}
