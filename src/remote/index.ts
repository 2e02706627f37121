import type { Throughline } from '../api.ts'
import { StorageError } from '../domain/errors.ts'
import { defined } from '../domain/optional.ts'
import type { Principal, SessionRecord } from '../domain/record.ts'
import { narrowed } from '../features/kernel/access.ts'
import { KeyedMutex } from '../features/kernel/keyed-mutex.ts'
import { parse } from '../features/kernel/parse.ts'
import { findRequestsQuery } from '../features/requests/schema.ts'
import { storageQuery, usageQuery } from '../features/usage/schema.ts'
import { Connection } from './connection.ts'
import { remoteConversations } from './conversations.ts'
import { remoteMemories } from './memories.ts'
import { ObservationBuffer } from './observation-buffer.ts'
import { remoteEnvelopes, remoteIntake, remoteMaintenance } from './operator.ts'
import { toJson } from './request.ts'
import { TIMEOUTS, type Timeouts } from './retry.ts'
import { remoteClaim } from './runs.ts'
import { type Client, remoteSession } from './session.ts'
import { remoteSessions, remoteUsers } from './sessions.ts'
import { remoteTransfer } from './transfer.ts'
import { createTransport, type Token } from './transport.ts'

export interface RemoteOptions {
  /** Without user and password. */
  url: string
  token?: Token | undefined
  /** For tests. */
  timeouts?: Timeouts
}

/** What a server says about itself and the caller. */
interface About {
  name: string
  agents: string[]
  principal?: Principal
}

/**
 * The public object over a server: each call is one request. Contacts the server first, so that a wrong address or
 * token fails here.
 */
export async function remoteThroughline({ url, token, timeouts = TIMEOUTS }: RemoteOptions): Promise<Throughline> {
  const transport = createTransport(url, token, timeouts)
  const connection = new Connection(transport)
  const about = await connection.probe<Partial<About> | undefined>({ method: 'GET', path: '' })
  if (about?.name !== 'throughline' || about.agents === undefined) {
    throw new StorageError('http', `${transport.origin} is not a Throughline server; check the URL`)
  }
  const { agents, principal } = about
  const client = { connection, principal, observations: new ObservationBuffer(), messageMutex: new KeyedMutex() }
  return createThroughline(client, agents, () => connection.close())
}

function createThroughline(client: Client, agents: readonly string[], close: () => Promise<void>): Throughline {
  const { connection, principal } = client
  return {
    sessions: remoteSessions(client),
    users: remoteUsers(client),
    conversations: remoteConversations(client),
    memories: remoteMemories(connection),
    envelopes: remoteEnvelopes(connection),
    intake: remoteIntake(connection),
    agents,
    ...defined({ principal }),
    as: (input) => {
      const narrower = narrowed(principal, input)
      const narrowedClient = { ...client, connection: connection.as(narrower), principal: narrower }
      return createThroughline(narrowedClient, agents, async () => {})
    },
    ...remoteMaintenance(connection),
    ...remoteTransfer(connection),
    recall: async (query) => await connection.post('/recall', toJson(query)),
    claim: remoteClaim(connection, async (own, id) =>
      remoteSession({ ...client, connection: own }, await connection.get<SessionRecord>(`/sessions/${id}`)),
    ),
    requests: async (query = {}) => {
      parse(findRequestsQuery, query)
      return await connection.get('/requests', query)
    },
    usage: async (query) => {
      parse(usageQuery, query)
      return await connection.get('/usage', query)
    },
    storage: async (query) => {
      parse(storageQuery, query)
      return await connection.get('/usage', { ...query, storage: true })
    },
    migrate: async () => {
      const { schema } = await connection.get<{ schema?: number }>('/health')
      return defined({ schema })
    },
    health: () => connection.get('/health'),
    close,
  }
}
