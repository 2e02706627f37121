/** Every weight of the ranking in one table, for the two kinds of conversation there are. */

export interface Weights {
  /** BM25: how soon repeats of a word stop counting. */
  readonly k1: number
  /** BM25: how much longer messages are held back. */
  readonly b: number
  /** Power of a term's rarity. */
  readonly rarity: number
  /** What a word inside a question counts for the message that asks it. */
  readonly asking: number
  /** Share of a synonym against the word itself. */
  readonly synonym: number
  /** Share of a kind of the thing asked for ("guitar" for "instrument"). */
  readonly kind: number
  /** Share of the score of the message before. */
  readonly before1: number
  /** The same when that message ends with a question: this one answers it. */
  readonly before1Asks: number
  /** Share of the message two before, mostly the same speaker's. */
  readonly before2: number
  /** Share of the message after, which takes up what was said. */
  readonly after1: number
  /** Share of those three and four before, two and three after. */
  readonly far: number
  /** How much of the neighbours' share of a word is dropped when the message says it itself. */
  readonly overlap: number
  /** How much less a word counts that the message before has just stated. */
  readonly echo: number
  /** Share of the whole session's score. */
  readonly session: number
  /** Two words of the question side by side, as a share of the lesser one's weight. */
  readonly phrase: number
  /** What a message has without a word in common, as a share of the sum of weights: lets dates and speakers speak. */
  readonly floor: number
  /** Exponent when the message is by the one whom the question is about. */
  readonly speaker: number
  /** Exponent against messages that ask, by the share of their words that do. */
  readonly onlyAsks: number
  /** Exponent for what can be looked up, times the logarithm of 1 + `Description.specifics`. */
  readonly specifics: number
  /** Exponent for each word of time, at most two, when the question asks when. */
  readonly when: number
  /** Exponent for a number when the question asks how many. */
  readonly count: number
  /** Exponent for the date the question names, times `dateFit`. */
  readonly date: number
  /** Exponent against long messages, times the logarithm of 1 + length / `LONG_MESSAGE_TERMS`; see `exponent`. */
  readonly long: number
  /** Whether the best passage of a message counts instead of the whole. */
  readonly passages: boolean
}

/**
 * Two people, short messages. Fitted on five conversations of a public set and measured on five others. Behind each weight:
 * points of recall at 10 lost without it, on the fitted five and on the others. All of them lie on plateaus: 30 % more or
 * less of any one costs at most 1 point, nearly all at most 0.5.
 */
export const PEER: Weights = {
  k1: 0.7,
  b: 0.4,
  rarity: 2, // against 1: 0.7, -0.2
  asking: 0.2, // against 1: 0.6, 0.5
  synonym: 0.2, // 0.8, 0.5; doubled it costs more than it brings
  kind: 0.3, // 1.0, 0.8
  before1: 0.3, // all neighbours together: 9.4, 8.4
  before1Asks: 0.9, // against `before1`: 1.5, 1.2
  before2: 0.4, // 2.0, 1.9
  after1: 0.35, // 0.9, 1.3
  far: 0.1, // 0.6, 0.5
  overlap: 0.7, // 0.8, 0.4
  echo: 0.6, // 0.4, 0.0
  session: 0.2, // 0.8, 0.8
  phrase: 0.1, // 0.1, 0.0; kept for long messages
  floor: 0.05, // 0.6, 0.1, and in 2,000 tokens 0.7, 1.1
  speaker: 0.25, // 1.6, 1.0; a filter would lose what the other one said
  onlyAsks: 0.4, // 0.6, 0.2
  specifics: 0.1, // 1.1, 0.3
  when: 0.2, // 0.1, 0.6
  count: 0.5, // 0.3, 0.0
  date: 1.2, // 1.4, 1.9
  long: 0,
  passages: false,
}

/**
 * A person and an assistant that answers at length. Fitted on half of two public sets of such conversations and measured on
 * the other half: BM25 over passages, and what the person said before what the assistant made of it. Of the neighbours only
 * the message after counts: the assistant takes up what it was told.
 */
export const LONG: Weights = {
  k1: 0.9,
  b: 0.4,
  rarity: 1,
  asking: 1,
  synonym: 0.1,
  kind: 0.2,
  before1: 0,
  before1Asks: 0,
  before2: 0,
  after1: 0.25,
  far: 0,
  overlap: 0.7,
  echo: 0,
  session: 0.12,
  phrase: 0.1,
  floor: 0.01,
  speaker: 0.45,
  onlyAsks: 0,
  specifics: 0,
  when: 0.05,
  count: 0.05,
  date: 0.5,
  long: 0.2,
  passages: true,
}

/** A message of more terms than this is long: about 80 words. */
export const LONG_MESSAGE_TERMS = 40
/** Peer chat has up to 0.11 of them, chat with an assistant 0.4 and more. */
const LONG_SHARE = 0.2

/** What the ranking must know of the whole index. */
export interface IndexStats {
  readonly messages: number
  /** Sum of the messages' lengths in terms. */
  readonly terms: number
  /** Messages longer than `LONG_MESSAGE_TERMS`. */
  readonly longMessages: number
}

/** Weights for a user's messages, by how many of them are long. */
export function weightsFor(stats: IndexStats): Weights {
  return stats.longMessages >= LONG_SHARE * stats.messages ? LONG : PEER
}
