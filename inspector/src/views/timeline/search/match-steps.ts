/** The match to go to from an event, around the ends; `undefined` without matches. */
export function matchFrom(matches: readonly number[], here: number | undefined, direction: 1 | -1): number | undefined {
  if (direction > 0) return matches.find((match) => here !== undefined && match > here) ?? matches[0]
  return matches.findLast((match) => here !== undefined && match < here) ?? matches.at(-1)
}
