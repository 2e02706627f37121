import type { Health, Throughline } from '../api.ts'
import { StorageError } from '../domain/errors.ts'
import type { Principal } from '../domain/record.ts'
import { narrowed } from '../features/kernel/access.ts'
import { KeyedMutex } from '../features/kernel/keyed-mutex.ts'
import { Connection } from './connection.ts'
import { remoteConversations } from './conversations.ts'
import { remoteMemories } from './memories.ts'
import { ObservationBuffer } from './observation-buffer.ts'
import { remoteEnvelopes, remoteIntake, remoteMaintenance } from './operator.ts'
import { read } from './path.ts'
import { toJson } from './request.ts'
import { TIMEOUTS, type Timeouts } from './retry.ts'
import type { Client } from './session.ts'
import { remoteSessions, remoteUsers } from './sessions.ts'
import { remoteTransfer } from './transfer.ts'
import { createTransport, type Token } from './transport.ts'

/** Which server, and who is calling. */
export interface RemoteOptions {
  /** Without user and password. */
  url: string
  token?: Token | undefined
  /** For tests. */
  timeouts?: Timeouts
}

/** What a server says of itself, and of the caller. */
interface About {
  name: string
  agents: string[]
  principal?: Principal
}

/** The public object over a server: each call is one request. Asks the server who it is first, so that a wrong address or token is known at once. */
export async function remoteThroughline({
  url,
  token,
  timeouts: patience = TIMEOUTS,
}: RemoteOptions): Promise<Throughline> {
  const line = createTransport(url, token, patience)
  const connection = new Connection(line)
  const about = await connection.probe<Partial<About> | undefined>({ method: 'GET', path: '' })
  if (about?.name !== 'throughline' || about.agents === undefined) {
    throw new StorageError('http', `what answers at ${line.origin} is no Throughline server`)
  }
  const { agents, principal } = about
  const client = { connection, principal, observations: new ObservationBuffer(), messageMutex: new KeyedMutex() }
  return throughlineOf(client, agents, () => connection.close())
}

function throughlineOf(client: Client, agents: readonly string[], close: () => Promise<void>): Throughline {
  const { connection, principal } = client
  return {
    sessions: remoteSessions(client),
    users: remoteUsers(client),
    conversations: remoteConversations(client),
    memories: remoteMemories(connection),
    envelopes: remoteEnvelopes(connection),
    intake: remoteIntake(connection),
    agents,
    ...(principal !== undefined && { principal }),
    as: (input) => {
      const narrower = narrowed(principal, input)
      const same = { ...client, connection: connection.as(narrower), principal: narrower }
      return throughlineOf(same, agents, async () => {})
    },
    ...remoteMaintenance(connection),
    ...remoteTransfer(connection),
    recall: async (query) =>
      await connection.request({ method: 'POST', path: '/recall', body: toJson(query), idempotent: true }),
    migrate: async () => {
      const { schema } = await read<Health>(connection, '/health')
      return schema === undefined ? {} : { schema }
    },
    health: () => read(connection, '/health'),
    close,
  }
}
