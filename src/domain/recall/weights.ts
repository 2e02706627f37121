/** All ranking weights, one table per kind of conversation. */

export interface Weights {
  /** BM25: how fast repeats of a word saturate. */
  readonly k1: number
  /** BM25: penalty of longer messages. */
  readonly b: number
  /** Exponent of a term's rarity. */
  readonly rarity: number
  /** Weight of a word inside a message's own question. */
  readonly asking: number
  /** Weight of a synonym relative to the word. */
  readonly synonym: number
  /** Weight of a hyponym ("guitar" for "instrument"). */
  readonly kind: number
  /** Share of the previous message's score. */
  readonly before1: number
  /** The same if the previous message ends with a question. */
  readonly before1Asks: number
  /** Share of the message two before, usually by the same speaker. */
  readonly before2: number
  /** Share of the next message, which often repeats what was said. */
  readonly after1: number
  /** Share of the messages three and four before, two and three after. */
  readonly far: number
  /** How much of the neighbors' share is dropped if the message has the word itself. */
  readonly overlap: number
  /** Penalty of a word that the previous message just stated. */
  readonly echo: number
  /** Share of the whole session's score. */
  readonly session: number
  /** Bonus of two adjacent query words, as a share of the smaller weight. */
  readonly phrase: number
  /** Score without a common word, as a share of the sum of weights: lets dates and speakers count. */
  readonly floor: number
  /** Exponent if the query is about the message's speaker. */
  readonly speaker: number
  /** Negative exponent by the share of words inside questions. */
  readonly onlyAsks: number
  /** Exponent times the logarithm of 1 + `TextAnalysis.specifics`. */
  readonly specifics: number
  /** Exponent per time word, at most two, if the query asks when. */
  readonly when: number
  /** Exponent of a number if the query asks how many. */
  readonly count: number
  /** Exponent times `dateFit` if the query names a date. */
  readonly date: number
  /** Negative exponent of long messages, times the logarithm of 1 + length / `LONG_MESSAGE_TERMS`. */
  readonly long: number
  /** Whether the best passage counts instead of the whole message. */
  readonly passages: boolean
}

/**
 * Chat between two people with short messages. Fitted on five conversations of a public set and measured on five
 * others. Each comment gives the points of recall at 10 lost without the weight, on the fitted five and on the others.
 * All weights lie on plateaus: 30 % more or less of one costs at most 1 point, mostly at most 0.5.
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
 * Chat with an assistant that writes long answers. Fitted on half of two public sets and measured on the other half:
 * BM25 over passages, and the person's words before the assistant's. Of the neighbors only the next message counts,
 * because the assistant repeats what it was told.
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

/** A message with more terms is long: about 80 words. */
export const LONG_MESSAGE_TERMS = 40
/** Share of long messages: peer chat has up to 0.11, chat with an assistant 0.4 and more. */
const LONG_SHARE = 0.2

/** Totals of the index for the ranking. */
export interface IndexStats {
  readonly messages: number
  /** Sum of the messages' lengths in terms. */
  readonly terms: number
  /** Messages longer than `LONG_MESSAGE_TERMS`. */
  readonly longMessages: number
}

/** Chooses weights by the share of long messages. */
export function weightsFor(stats: IndexStats): Weights {
  return stats.longMessages >= LONG_SHARE * stats.messages ? LONG : PEER
}
