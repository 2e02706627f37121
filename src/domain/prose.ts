/** Longer messages are read from both ends: 8 MB of fences took half a second to split. */
const MAX_READ = 128 * 1024
const FENCE = '```'

/**
 * Returns the text of a message outside fenced code, at most `limit` characters from its two ends: what it means is
 * there, and a pasted log in the middle costs nothing.
 */
export function proseOf(message: string, limit: number): { prose: string; hasCode: boolean } {
  const isLong = message.length > MAX_READ
  const start = (isLong ? message.slice(0, MAX_READ / 2) : message).split(FENCE)
  // the end of a long message is outside code, whatever its middle holds
  const end = isLong
    ? message
        .slice(-MAX_READ / 2)
        .split(FENCE)
        .reverse()
    : []
  const outside = (_: string, i: number) => i % 2 === 0
  const prose = [...start.filter(outside), ...end.filter(outside).reverse()].join('\n')
  const ends = prose.length > limit ? `${prose.slice(0, limit / 2)}\n${prose.slice(-limit / 2)}` : prose
  return { prose: ends, hasCode: start.length > 1 || end.length > 1 }
}
