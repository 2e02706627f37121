import type { SessionEvent } from '../../event.ts'
import { terms } from '../../recall/text.ts'
import { statementsIn } from './statements.ts'

/** The start of a stated choice. */
const CHOICE =
  /^(?:decision:|(?:let's|let us|we'll|we will|we're going to|we are going to|I'll|I will|we(?:'ve| have)? (?:decided|agreed) to) (?:(?:then|now|just) )?(?:go with|use|stick with|keep to|build on|choose|take|do)|(?:we(?:'ve| have)?) (?:decided|agreed|settled) on|go with|agreed[,:]?)\s+(?=\S)/iu

/** A choice that user and assistant state in consecutive messages. */
export interface Agreement {
  /** In the user's words. */
  content: string
  from: number
  to: number
}

/**
 * Returns the choice that two consecutive messages agree on: the assistant's choice names everything the user's does.
 */
export function agreementOf(earlier: SessionEvent, later: SessionEvent): Agreement | undefined {
  const [user, assistant] = earlier.type === 'user_message' ? [earlier, later] : [later, earlier]
  if (user.type !== 'user_message' || user.role !== 'user' || assistant.type !== 'model_message') return undefined
  const theirs = choicesIn(assistant.content).map(({ words }) => new Set(words))
  const both = choicesIn(user.content).find(({ words }) =>
    theirs.some((named) => words.every((word) => named.has(word))),
  )
  return both && { content: both.text, from: earlier.sequence, to: later.sequence }
}

function choicesIn(message: string): { text: string; words: string[] }[] {
  return statementsIn(message).flatMap(({ text }) => {
    const chosen = text.replace(CHOICE, '')
    const words = chosen === text ? [] : terms(chosen)
    return words.length === 0 ? [] : [{ text, words }]
  })
}
