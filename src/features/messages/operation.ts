import type { AppendOptions, MessagesQuery, WriteOptions } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { FORMATS, type FormatOutput, type MessageFormat } from '../../domain/formats/formats.ts'
import { LIMITS } from '../../domain/limits.ts'
import {
  dropOrphanResults,
  type Message,
  takeLastMessages,
  toMessageEvent,
  toMessages,
  visibleTo,
} from '../../domain/message.ts'
import { decideOn } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { appendEvents } from '../log/operation.ts'
import { messageInput, messagesQuery } from './schema.ts'

/** Appends messages to the conversation, all or none. */
export async function addMessages(
  deps: Deps,
  id: string,
  input: Message | readonly Message[],
  options?: AppendOptions,
): Promise<SessionEvent[]> {
  if (!Array.isArray(input)) return await appendEvents(deps, id, toMessageEvent(checked(input, '')), options)
  const events = input.map((message, i) => toMessageEvent(checked(message, `messages[${i}]`)))
  return await appendEvents(deps, id, events, options, 'messages')
}

function checked(input: unknown, at: string): Message {
  return parse(messageInput, input, at) as Message
}

/** The messages since the last clear, oldest first, in the requested format. */
export async function readMessages(
  deps: Deps,
  id: string,
  query: MessagesQuery & { format?: MessageFormat } = {},
): Promise<Message[] | FormatOutput[MessageFormat]> {
  const { format, agent, limit } = parse(messagesQuery, query)
  const messages = await lastMessages(deps, id, agent, limit)
  return format === undefined ? messages : FORMATS[format].to(messages)
}

async function lastMessages(
  deps: Deps,
  id: string,
  agent: string | undefined,
  limit: number | undefined,
): Promise<Message[]> {
  const toVisible = (events: readonly SessionEvent[]) =>
    toMessages(agent === undefined ? events : visibleTo(agent, events))
  if (limit === undefined) {
    const messages = toVisible(await readBack(deps, id, () => false))
    return agent === undefined ? messages : dropOrphanResults(messages)
  }
  const events = await readBack(deps, id, (soFar) => dropOrphanResults(toVisible(soFar)).length > limit)
  return takeLastMessages(dropOrphanResults(toVisible(events)), limit)
}

/** The events since the last clear, oldest first, read from the end until there are enough. */
async function readBack(
  deps: Deps,
  id: string,
  isEnough: (soFar: readonly SessionEvent[]) => boolean,
): Promise<SessionEvent[]> {
  const key = keyOf(deps, id)
  const query = { order: 'desc', limit: LIMITS.page } as const
  let chunk = await deps.store.read(key, { ...query, turns: Number.MAX_SAFE_INTEGER })
  let events = chunk.map((stored) => sessionEvent(id, stored)).reverse()
  if (chunk.length < LIMITS.page || isEnough(events)) return events
  // one clear applies to every page, even if another comes in between
  const clearedAt = (await deps.store.load(key))?.clearedAt ?? 0
  const chunks = [events.filter(({ sequence }) => sequence > clearedAt)]
  while (chunk.length === LIMITS.page) {
    const before = chunk.at(-1)?.sequence ?? 0
    chunk = await deps.store.read(key, { ...query, after: clearedAt, before })
    chunks.push(chunk.map((stored) => sessionEvent(id, stored)).reverse())
    events = chunks.toReversed().flat()
    if (isEnough(events)) break
  }
  return events
}

/** Hides earlier messages from `messages` and windows. */
export async function clearMessages(deps: Deps, id: string, options: WriteOptions = {}): Promise<void> {
  const { idempotencyKey } = parse(writeOptions, options)
  await decideOn(deps, id, () => [{ type: 'messages_cleared', content: 'Earlier messages hidden' }], {
    command: ['clear'],
    idempotencyKey,
  })
}
