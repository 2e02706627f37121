import type { Health, Throughline } from '../api.ts'
import { StorageError } from '../domain/errors.ts'
import type { Principal } from '../domain/record.ts'
import { narrowed } from '../features/kernel/access.ts'
import { KeyedMutex } from '../features/kernel/keyed-mutex.ts'
import { Connection } from './connection.ts'
import { conversationsOf } from './conversations.ts'
import { memoriesOf } from './memories.ts'
import { Staged } from './observation-buffer.ts'
import { envelopesOf, intakeOf, upkeepOf } from './operator.ts'
import { jsonOf } from './request.ts'
import { PATIENCE, type Patience } from './retry.ts'
import type { Client } from './session.ts'
import { sessionsOf, usersOf } from './sessions.ts'
import { transferOf } from './transfer.ts'
import { lineTo, type Token } from './transport.ts'
import { read } from './writing.ts'

/** Which server, and who is calling. */
export interface RemoteOptions {
  /** Without user and password. */
  url: string
  token?: Token | undefined
  /** For tests. */
  patience?: Patience
}

/** What a server says of itself, and of the caller. */
interface About {
  name: string
  agents: string[]
  principal?: Principal
}

/** The public object over a server: each call is one request. Asks the server who it is first, so that a wrong address or token is known at once. */
export async function remoteThroughline({ url, token, patience = PATIENCE }: RemoteOptions): Promise<Throughline> {
  const line = lineTo(url, token, patience)
  const connection = new Connection(line)
  const about = await connection.first<Partial<About> | undefined>({ method: 'GET', path: '' })
  if (about?.name !== 'throughline' || about.agents === undefined) {
    throw new StorageError('http', `what answers at ${line.origin} is no Throughline server`)
  }
  const { agents, principal } = about
  const client = { connection, principal, staged: new Staged(), turns: new KeyedMutex() }
  return throughlineOf(client, agents, () => connection.close())
}

function throughlineOf(client: Client, agents: readonly string[], close: () => Promise<void>): Throughline {
  const { connection, principal } = client
  return {
    sessions: sessionsOf(client),
    users: usersOf(client),
    conversations: conversationsOf(client),
    memories: memoriesOf(connection),
    envelopes: envelopesOf(connection),
    intake: intakeOf(connection),
    agents,
    ...(principal !== undefined && { principal }),
    as: (input) => {
      const narrower = narrowed(principal, input)
      const same = { ...client, connection: connection.as(narrower), principal: narrower }
      return throughlineOf(same, agents, async () => {})
    },
    ...upkeepOf(connection),
    ...transferOf(connection),
    recall: async (query) =>
      await connection.request({ method: 'POST', path: '/recall', body: jsonOf(query), repeatable: true }),
    migrate: async () => {
      const { schema } = await read<Health>(connection, '/health')
      return schema === undefined ? {} : { schema }
    },
    health: () => read(connection, '/health'),
    close,
  }
}
