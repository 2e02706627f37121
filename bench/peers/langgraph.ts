import { randomUUID } from 'node:crypto'
import type { BaseMessage } from '@langchain/core/messages'
import type { BaseCheckpointSaver, CheckpointTuple } from '@langchain/langgraph-checkpoint'
import type { Contender, Entrant } from '../contender.ts'
import type { Message } from '../load.ts'
import { endOf, poolOf } from './pool.ts'

/**
 * LangGraph keeps a thread as checkpoints, each with the whole list of messages. A message is added as `updateState` of
 * a graph does it: read the newest checkpoint, put the next one. A graph also puts its writes; that is left out here,
 * in LangGraph's favour.
 */
async function contender(
  about: { name: string; caveat: string },
  saver: BaseCheckpointSaver<number>,
  close: () => Promise<void>,
): Promise<Contender> {
  const { emptyCheckpoint, uuid6 } = await import('@langchain/langgraph-checkpoint')
  const { AIMessage, HumanMessage } = await import('@langchain/core/messages')

  function spoken({ role, content }: Message): BaseMessage {
    const fields = { id: randomUUID(), content }
    return role === 'user' ? new HumanMessage(fields) : new AIMessage(fields)
  }

  async function newest(sessionId: string): Promise<CheckpointTuple> {
    const tuple = await saver.getTuple({ configurable: { thread_id: sessionId, checkpoint_ns: '' } })
    if (tuple === undefined) throw new Error(`LangGraph has no thread ${sessionId}.`)
    return tuple
  }

  async function put(
    { config, checkpoint, metadata }: CheckpointTuple,
    channel: string,
    value: unknown,
  ): Promise<CheckpointTuple> {
    const step = (metadata?.step ?? -2) + 1
    const version = saver.getNextVersion(checkpoint.channel_versions[channel] as number | undefined)
    const next = {
      ...checkpoint,
      id: uuid6(step),
      ts: new Date().toISOString(),
      channel_values: { ...checkpoint.channel_values, [channel]: value },
      channel_versions: { ...checkpoint.channel_versions, [channel]: version },
    }
    const about = { source: 'update', step, parents: {} } as const
    return { config: await saver.put(config, next, about, { [channel]: version }), checkpoint: next, metadata: about }
  }

  /** What `fill` put last, so that its next part need not read all of that again. */
  let filled: { sessionId: string; tuple: CheckpointTuple } | undefined

  async function add(tuple: CheckpointTuple, messages: readonly Message[]): Promise<CheckpointTuple> {
    return await put(tuple, 'messages', [...kept(tuple), ...messages.map(spoken)])
  }

  return {
    ...about,
    async create() {
      const id = randomUUID()
      const config = { configurable: { thread_id: id, checkpoint_ns: '' } }
      await put({ config, checkpoint: emptyCheckpoint() }, 'messages', [])
      return id
    },
    async append(sessionId, message) {
      filled = undefined
      await add(await newest(sessionId), [message])
    },
    recent: async (sessionId) => kept(await newest(sessionId)).slice(-60),
    contents: async (sessionId) => kept(await newest(sessionId)).map(({ text }) => text),
    async fill(sessionId, messages) {
      const tuple = filled?.sessionId === sessionId ? filled.tuple : await newest(sessionId)
      filled = { sessionId, tuple: await add(tuple, messages) }
    },
    state: async (sessionId) => ({ value: (await newest(sessionId)).checkpoint.channel_values['value'] }),
    async update(sessionId, value) {
      filled = undefined
      await put(await newest(sessionId), 'value', value)
    },
    close,
  }
}

function kept({ checkpoint }: CheckpointTuple): BaseMessage[] {
  return checkpoint.channel_values['messages'] as BaseMessage[]
}

const SQLITE = 'LangGraph SqliteSaver'
const POSTGRES = 'LangGraph PostgresSaver'

export const langgraphSqlite: Entrant = {
  name: SQLITE,
  async open(target) {
    const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite')
    const saver = SqliteSaver.fromConnString(target)
    const caveat = 'WAL with synchronous=NORMAL: answers before fsync. Every append writes all messages again'
    return await contender({ name: SQLITE, caveat }, saver, async () => {
      saver.db.close()
    })
  },
}

export const langgraphPostgres: Entrant = {
  name: POSTGRES,
  async open(target, { connections }) {
    const { PostgresSaver } = await import('@langchain/langgraph-checkpoint-postgres')
    const pool = await poolOf(target, connections)
    const saver = new PostgresSaver(pool)
    await saver.setup()
    const caveat = 'Every append writes all messages again'
    return await contender({ name: POSTGRES, caveat }, saver, () => endOf(pool))
  },
}
