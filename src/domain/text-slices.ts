/** Cuts long texts into slices that can be counted one by one. */

/**
 * Places where the encodings of OpenAI never join what is before and after, so that the counts of two slices add up:
 * before a space, after a line break, and where a run of letters or digits ends.
 */
const SEAM =
  /(?<=\S)(?=[^\S\r\n])|(?<=[\r\n])(?=[\p{L}\p{N}])|(?<=\p{L})(?=[^\p{L}\p{M}'\r\n])|(?<=\p{N})(?=[^\p{N}\r\n])/uy

/** Runs longer than this are counted in pieces: see {@link longRuns}. */
const MAX_RUN = 256
const RUNS = ['[\\p{L}\\p{M}]', '[[^\\p{L}\\p{N}\\s]\\r\\n]', '\\s']
const LONG_RUNS = new RegExp(RUNS.map((run) => `${run}{${MAX_RUN}}`).join('|'), 'gv')

/**
 * Returns runs of 256 letters, symbols or white space. Encoders merge a run in quadratic time: 100,000 characters took
 * up to a minute. Marks belong to letters and to symbols, line breaks to white space and to symbols: 🏳️‍🌈 or `//` on
 * every line is one run for the encoder.
 */
export function longRuns(text: string): Iterable<RegExpExecArray> {
  return text.matchAll(LONG_RUNS)
}

/**
 * Cuts a text into slices of at most `size` characters, lazily: where two words meet, else after a long run, else
 * anywhere between two characters. `size` is a multiple of 6, so that digits stay in groups of three.
 */
export function* slicesOf(text: string, size: number): Generator<string, void> {
  let at = 0
  while (text.length - at > size) {
    const slice = text.slice(at, at + size + 2)
    const end = lastSeam(slice, size) ?? lastLongRun(slice, size) ?? (isWhole(slice, size) ? size : size - 1)
    yield slice.slice(0, end)
    at += end
  }
  yield text.slice(at)
}

function lastSeam(text: string, from: number): number | undefined {
  for (let at = from; at > 0; at--) {
    SEAM.lastIndex = at
    // inside a surrogate pair the pattern matches before it
    const found = SEAM.exec(text)
    if (found !== null && found.index > 0) return found.index
  }
  return undefined
}

function lastLongRun(text: string, before: number): number | undefined {
  let end: number | undefined
  for (const { 0: run, index } of longRuns(text)) if (index + run.length <= before) end = index + run.length
  return end
}

/** Whether no surrogate pair is cut at this place. */
function isWhole(text: string, at: number): boolean {
  return !/[\uD800-\uDBFF]/.test(text.charAt(at - 1))
}
