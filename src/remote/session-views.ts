import type { Session } from '../api.ts'
import { switchInput } from '../features/agents/schema.ts'
import { contextOptions, reduceOptions } from '../features/context/schema.ts'
import { parse } from '../features/kernel/parse.ts'
import { graphQuery } from '../features/work/schema.ts'
import type { Connection } from './connection.ts'
import { jsonOf } from './request.ts'
import { read, write } from './writing.ts'

type State = 'state' | 'updateState' | 'replaceState' | 'addToState' | 'incrementState' | 'passGate'
type Agents = 'handoff' | 'takeHandoff' | 'setActiveAgent' | 'recordTransition' | 'transitions'
type Others = 'envelope' | 'updateEnvelope' | 'graph' | 'progress' | 'reduce' | 'context'

/** The views of a session, and how they are changed. */
export function viewsOf(connection: Connection, path: string): Pick<Session, State | Agents | Others> {
  return { ...stateOf(connection, path), ...agentsOf(connection, path), ...othersOf(connection, path) }
}

function stateOf(connection: Connection, path: string): Pick<Session, State> {
  const change = async <T>(method: 'PATCH' | 'PUT' | 'POST', below: string, body: string, options?: object) =>
    await write<T>(connection, method, `${path}${below}`, body, options)
  return {
    state: () => read(connection, `${path}/state`),
    updateState: async (patch, options) => await change('PATCH', '/state', jsonOf(patch, 'patch'), options),
    replaceState: async (value, options) => await change('PUT', '/state', jsonOf(value, 'value'), options),
    addToState: async (key, value, options) => await change('POST', '/state/add', jsonOf({ key, value }), options),
    incrementState: async (key, by, options) => await change('POST', '/state/increment', jsonOf({ key, by }), options),
    passGate: async (gate, note, options) => await change('POST', '/gates', jsonOf({ gate, note }), options),
  }
}

function agentsOf(connection: Connection, path: string): Pick<Session, Agents> {
  return {
    handoff: async (handoff, options) => await write(connection, 'POST', `${path}/handoff`, jsonOf(handoff), options),
    takeHandoff: async (options) => await write(connection, 'POST', `${path}/handoff/take`, undefined, options),
    setActiveAgent: async (agent, options) => {
      const { idempotencyKey, ...given } = parse(switchInput, { ...options, agent })
      const key = idempotencyKey === undefined ? {} : { idempotencyKey }
      return await write(connection, 'PUT', `${path}/agent`, jsonOf(given), key)
    },
    recordTransition: async (transition, options) =>
      await write(connection, 'POST', `${path}/transitions`, jsonOf(transition), options),
    transitions: async () => (await read<{ items: never[] }>(connection, `${path}/transitions`)).items,
  }
}

function othersOf(connection: Connection, path: string): Pick<Session, Others> {
  return {
    envelope: () => read(connection, `${path}/envelope`),
    updateEnvelope: async (patch, options) =>
      await write(connection, 'PATCH', `${path}/envelope`, jsonOf(patch), options),
    graph: async (query = {}) => {
      parse(graphQuery, query)
      return await read(connection, `${path}/graph`, query)
    },
    progress: async () => (await read<{ text: string }>(connection, `${path}/progress`)).text,
    reduce: async (options) => {
      const { idempotencyKey, ...given } = parse(reduceOptions, options)
      const key = idempotencyKey === undefined ? {} : { idempotencyKey }
      return await write(connection, 'POST', `${path}/reduce`, jsonOf(given), key)
    },
    // one route behind both signatures: the format decides what comes back
    context: (async (options: object) => {
      const { recall, record } = parse(contextOptions, options)
      const body = jsonOf(options)
      // what is recalled is logged
      const repeatable = recall === false || !record
      return await connection.request({ method: 'POST', path: `${path}/context`, body, repeatable })
    }) as Session['context'],
  }
}
