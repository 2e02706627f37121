import type { AppendOptions, MessagesQuery, WriteOptions } from '../../api.ts'
import { TooLargeError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { isLastPage, sizeOfAll } from '../../domain/event-size.ts'
import type { SessionView } from '../../domain/fold.ts'
import { FORMATS, type FormatOutput, type MessageFormat } from '../../domain/formats/formats.ts'
import { LIMITS } from '../../domain/limits.ts'
import {
  callChecker,
  dropOrphanResults,
  type Message,
  messageBuilder,
  takeLastMessages,
  toMessageEvent,
  toMessages,
  visibility,
} from '../../domain/message.ts'
import { defined } from '../../domain/optional.ts'
import type { NewEvent, StoredEvent } from '../../ports/session-store.ts'
import { decideOn } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { readPages, walkStored } from '../kernel/history.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { appendEvents, checkedAppend } from '../log/operation.ts'
import { messageInput, messagesQuery } from './schema.ts'

export { messageInput } from './schema.ts'

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

/** A message as decisions write it. */
export function messageEvent(deps: Deps, input: unknown, at: string): NewEvent {
  return checkedAppend(deps, toMessageEvent(checked(input, at)), at)
}

function checked(input: unknown, at: string): Message {
  return parse(messageInput, input, at) as Message
}

/**
 * The messages since the last clear, oldest first, in the requested format. Without a limit all of them: `most` is the
 * number of characters that the caller can hold.
 */
export async function readMessages(
  deps: Deps,
  id: string,
  query: MessagesQuery & { format?: MessageFormat } = {},
  most = Number.POSITIVE_INFINITY,
): Promise<Message[] | FormatOutput[MessageFormat]> {
  const { format, agent, limit } = parse(messagesQuery, query)
  const messages = limit === undefined ? [] : await lastMessages(deps, id, agent, limit)
  if (limit === undefined) {
    for await (const some of streamMessages(deps, id, defined({ agent }), most)) messages.push(...some)
  }
  return format === undefined ? messages : FORMATS[format].to(messages)
}

/** All messages since the last clear, oldest first, page by page. Holds one page of events. */
export async function* streamMessages(
  deps: Deps,
  id: string,
  query: Pick<MessagesQuery, 'agent'> = {},
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<Message[]> {
  const { agent } = parse(messagesQuery, query)
  const isVisible = agent === undefined ? () => true : visibility(agent)
  const hasCall = agent === undefined ? () => true : callChecker()
  const builder = messageBuilder()
  let size = 0
  for await (const page of eventsSinceClear(deps, id)) {
    size += sizeOfAll(page)
    if (size > most) throw new TooLargeError({ field: 'messages', limit: most, actual: size })
    const events = page.map((stored) => sessionEvent(id, stored)).filter(isVisible)
    yield events.flatMap((event) => builder.add(event)).filter(hasCall)
  }
  yield builder.end().filter(hasCall)
}

async function* eventsSinceClear(deps: Deps, id: string): AsyncGenerator<StoredEvent[]> {
  const only = await onlyPage(deps, id)
  if (only !== undefined) {
    yield only
    return
  }
  const key = keyOf(deps, id)
  // one clear and one rewind apply to every page, even if others come in between
  yield* walkStored(deps, key, lineOf(await deps.store.load(key)))
}

/** The events that messages are made of. */
function lineOf(view: SessionView | undefined) {
  return defined({ after: view?.clearedAt, last: view?.record.head, line: view?.hidden })
}

/** The events since the last clear, if they fit on one page. */
async function onlyPage(deps: Deps, id: string): Promise<StoredEvent[] | undefined> {
  const newest = await newestEvents(deps, id)
  return isLastPage(newest, LIMITS.page) ? newest.reverse() : undefined
}

/** The first page of the events since the last clear, newest first. */
async function newestEvents(deps: Deps, id: string): Promise<StoredEvent[]> {
  const query = { order: 'desc', turns: Number.MAX_SAFE_INTEGER, limit: LIMITS.page } as const
  return await deps.store.read(keyOf(deps, id), query)
}

/** The last messages, or as many as are read with `LIMITS.windowSize` characters. */
async function lastMessages(deps: Deps, id: string, agent: string | undefined, limit: number): Promise<Message[]> {
  const visible = (events: readonly SessionEvent[]) =>
    dropOrphanResults(toMessages(agent === undefined ? events : events.filter(visibility(agent))))
  const events = await readBack(deps, id, (soFar) => visible(soFar).length > limit)
  return takeLastMessages(visible(events), limit)
}

/** The events since the last clear, oldest first, read from the end until there are enough. */
async function readBack(
  deps: Deps,
  id: string,
  isEnough: (soFar: readonly SessionEvent[]) => boolean,
): Promise<SessionEvent[]> {
  const key = keyOf(deps, id)
  const newest = await newestEvents(deps, id)
  const last = newest.map((stored) => sessionEvent(id, stored)).reverse()
  if (isLastPage(newest, LIMITS.page) || isEnough(last)) return last
  const { after = 0, last: head = 0, line } = lineOf(await deps.store.load(key))
  // after a rewind the first page may be of another line
  const chunks = line === undefined ? [last.filter(({ sequence }) => sequence > after)] : []
  let events = chunks.flat()
  let size = sizeOfAll(newest)
  const before = line === undefined ? (newest.at(-1)?.sequence ?? 0) : head + 1
  for await (const page of readPages(deps, key, { ...defined({ line }), after, before, order: 'desc' })) {
    chunks.push(page.map((stored) => sessionEvent(id, stored)).reverse())
    events = chunks.toReversed().flat()
    size += sizeOfAll(page)
    if (size >= LIMITS.windowSize || isEnough(events)) break
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
