/** Scores of messages for peer chat: their own words, and a share of those said around them. */

import { type Keys, type Match, saturation } from './match.ts'
import type { Weights } from './profile.ts'

/** Two words of the question count as side by side when at most two others stand between. */
const PHRASE_GAP = 3

/** Distances at which `far` counts: three and four after, two and three before. */
const FAR = [3, 4, -2, -3]

/** Adds to `scores` what one term gives each message: its own match, and a share of its neighbours'. */
export function addWithContext(
  scores: Map<number, number>,
  matches: ReadonlyMap<number, Match>,
  weight: number,
  average: number,
  weights: Weights,
): void {
  const strength = ({ said, length }: Match) => saturation(said, length, average, weights)
  const own = new Map<number, number>()
  for (const [key, match] of matches) {
    // a word that the message before stated is taken up, not told
    const before = matches.get(key - 1)
    const echo = before && !before.asks ? weights.echo * strength(before) : 0
    own.set(key, saturation(match.stated, match.length, average, weights) * (1 - echo))
  }
  const add = (key: number, by: number) => scores.set(key, (scores.get(key) ?? 0) + weight * by)
  const share = (key: number, by: number) => add(key, by * (1 - weights.overlap * (own.get(key) ?? 0)))
  for (const [key, match] of matches) {
    const said = strength(match)
    add(key, own.get(key) ?? 0)
    share(key + 1, said * (match.asks ? weights.before1Asks : weights.before1))
    share(key + 2, said * weights.before2)
    share(key - 1, said * weights.after1)
    for (const away of FAR) share(key + away, said * weights.far)
  }
}

/** Adds to `sessions` what one term gives each session as a whole. */
export function addToSessions(
  sessions: Map<number, number>,
  matches: ReadonlyMap<number, Match>,
  weight: number,
  keys: Keys,
): void {
  const said = new Map<number, number>()
  for (const [key, match] of matches) {
    const session = keys.sessionOf(key)
    said.set(session, (said.get(session) ?? 0) + match.said)
  }
  for (const [session, times] of said)
    sessions.set(session, (sessions.get(session) ?? 0) + (weight * times) / (times + 3))
}

/** Adds `bonus` to the messages in which one term closely follows another. */
export function addPhrase(
  scores: Map<number, number>,
  first: ReadonlyMap<number, Match>,
  second: ReadonlyMap<number, Match>,
  bonus: number,
): void {
  for (const [key, { places }] of first) {
    const after = second.get(key)?.places ?? []
    const close = places.some((a) => after.some((b) => b > a && Math.floor(b / 2) - Math.floor(a / 2) <= PHRASE_GAP))
    if (close) scores.set(key, (scores.get(key) ?? 0) + bonus)
  }
}
