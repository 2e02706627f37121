import type { EventInput, MessageFormat, Session, Throughline } from '../../dist/index.js'
import { eventTokens, isMessage, messageTokens } from './tokens.ts'
import type { Recording } from './transcripts.ts'
import { commonPrefix, formattedText, wireText } from './wire-text.ts'

/** How a replay asks for the context. */
export interface View {
  maxTokens: number
  format?: MessageFormat
}

/** Only the first one is timed: the others may find the tokens of new messages in a cache. */
export const VIEWS: readonly View[] = [
  { maxTokens: 32_000 },
  { maxTokens: 2000 },
  { maxTokens: 8000 },
  { maxTokens: 128_000 },
  { maxTokens: 32_000, format: 'anthropic' },
  { maxTokens: 32_000, format: 'openai-chat' },
]

/** One call of `context()`. */
export interface Sample {
  view: View
  recording: string
  /** After the last event. */
  isFinal: boolean
  /** Tokens of all messages of the session so far. */
  held: number
  /** As reported by `context()`. */
  tokens: number
  /** Tokens of its messages, counted with o200k; only without a format. */
  counted?: number
  /** Characters of the context. */
  sent: number
  /** Characters that are equal to the start of the previous context; absent for the first one. */
  repeated?: number
  ms: number
  omitted: readonly object[]
  /** As {@link wireText} or in the format. */
  text: string
}

const MOST_EVENTS = 200
const MOST_CHARACTERS = 8_000_000

/** Appends a recording to a new session and asks for the context before each model call and at the end. */
export async function* replay(tl: Throughline, recording: Recording, views = VIEWS): AsyncGenerator<Sample> {
  const { id, task, events } = recording
  const session = await tl.sessions.create({ userId: 'bench', ...(task !== undefined && { task }) })
  const previous = new Map<View, string>()
  let waiting: EventInput[] = []
  let isAnswering = false
  let held = 0
  let characters = 0

  async function flush(): Promise<void> {
    if (waiting.length > 0) await session.append(waiting)
    waiting = []
    characters = 0
  }
  async function* sample(isFinal: boolean): AsyncGenerator<Sample> {
    await flush()
    for (const view of views) {
      const { text, ...measured } = await callContext(session, view)
      const before = previous.get(view)
      previous.set(view, text)
      const repeated = before === undefined ? {} : { repeated: commonPrefix(before, text) }
      yield { view, recording: id, isFinal, held, ...measured, sent: text.length, ...repeated, text }
    }
  }
  for (const event of events) {
    if (isModelCall(event) && !isAnswering) yield* sample(false)
    if (isMessage(event.type)) isAnswering = isModelCall(event)
    held += eventTokens(event)
    waiting.push(event)
    characters += JSON.stringify(event).length
    if (waiting.length >= MOST_EVENTS || characters > MOST_CHARACTERS) await flush()
  }
  yield* sample(true)
}

function isModelCall({ type }: EventInput): boolean {
  return type === 'model_message' || type === 'tool_call'
}

type Measured = Pick<Sample, 'tokens' | 'counted' | 'omitted' | 'ms' | 'text'>

async function callContext(session: Session, { maxTokens, format }: View): Promise<Measured> {
  const start = performance.now()
  if (format === undefined) {
    const { messages, tokens, omitted } = await session.context({ maxTokens })
    const ms = performance.now() - start
    return { tokens, counted: messageTokens(messages), omitted, ms, text: wireText(messages) }
  }
  const { messages, tokens, omitted } = await session.context({ maxTokens, format })
  const ms = performance.now() - start
  return { tokens, omitted, ms, text: formattedText(messages) }
}
