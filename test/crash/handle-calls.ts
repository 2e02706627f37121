import type { Outcome, Resumed, Throughline, WriteOptions } from '../../src/index.ts'

export const USER = { userId: 'ada' }

/** The key of each call, also when it is repeated after the crash. */
export const KEY = 'once'

/** A call on a conversation, and the state before it. */
export interface Call {
  /** Brings the conversation into that state; absent if it has no session yet. */
  before?(tl: Throughline, conversation: string): Promise<unknown>
  call(tl: Throughline, conversation: string, options: WriteOptions): Promise<Outcome | Resumed>
}

const says = (message: string) => (tl: Throughline, conversation: string, options?: WriteOptions) =>
  tl.conversations.handle(conversation, { ...USER, message }, options)

async function working(tl: Throughline, conversation: string) {
  const { session } = await says('Write the parser')(tl, conversation)
  await session?.append({ type: 'model_message', content: 'I look around.' })
  return session
}

export const CALLS: Record<string, Call> = {
  started: { call: says('Write the parser') },
  new_task: { before: working, call: says('forget that, new task: write a haiku about autumn leaves') },
  unclear_new_task: {
    async before(tl, conversation) {
      await working(tl, conversation)
      await says('asdf qwer zxcv')(tl, conversation)
    },
    call: says("It's something new"),
  },
  complete: {
    before: async (tl, conversation) => (await working(tl, conversation))?.propose('The parser is in.'),
    call: says('looks good'),
  },
  answer: {
    before: async (tl, conversation) => (await working(tl, conversation))?.ask('Which of the two parsers?'),
    call: says('The second'),
  },
  decline: {
    before: working,
    call: (tl, conversation, options) => tl.conversations.decline(conversation, USER, options),
  },
}
