import { createHash } from 'node:crypto'
import { ValidationError } from '../domain/errors.ts'
import { type Calibration, calibrate, cosine, fuseScores, toUnitVector, type Vector } from '../domain/recall/fuse.ts'
import { PROBES } from '../domain/recall/probes.ts'
import type { Embed, Fuse } from '../ports/embed.ts'

/** Maximum items compared by meaning, the best by words. 24 to 128 gave the same recall. */
const MAX_ITEMS = 64
const MAX_CHARACTERS = 2000
/** Maximum cached texts and numbers: 32 MB at four bytes. */
const MAX_TEXTS = 10_000
const MAX_NUMBERS = 2 ** 23
/** A failing embedder is skipped for 1, 3, 7 … up to 63 uses: each may cost the whole time limit. */
const MAX_FAILURES = 6

/**
 * Creates a {@link Fuse} that combines word scores with the caller's embedder. The first use measures the embedder on
 * our own pairs; one that cannot match questions to answers is not used. On any failure (an error, more than
 * `timeoutMs`, not one vector per text) the word scores stay. `undefined` without a function; throws `ValidationError`
 * for anything else.
 */
export function createFuse(
  embed: Embed | undefined,
  { timeoutMs = 10_000 }: { timeoutMs?: number } = {},
): Fuse | undefined {
  if (embed === undefined) return undefined
  if (typeof embed !== 'function') throw new ValidationError('embed', 'must be a function')
  const vectorsOf = cachedEmbed(embed, timeoutMs)
  let measured: Promise<Calibration> | undefined
  let failures = 0
  let rests = 0

  async function measure(): Promise<Calibration> {
    try {
      return calibrateOnProbes(await vectorsOf(PROBES.flat()))
    } catch (error) {
      measured = undefined
      throw error
    }
  }

  return async (query, items) => {
    const scores = items.map(({ score }) => score)
    const chosen = selectItems(items)
    // a single item has nothing to be compared with
    if (isBlank(query) || chosen.length < 2) return scores
    if (rests > 0) {
      rests -= 1
      return scores
    }
    try {
      measured ??= measure()
      const calibration = await measured
      if (calibration.weight === 0) return scores
      const [asked, ...found] = await vectorsOf([query, ...chosen.map(({ content }) => content)])
      failures = 0
      const cosines = new Array<number | undefined>(items.length).fill(undefined)
      chosen.forEach(({ at }, i) => {
        const vector = found[i]
        if (asked && vector) cosines[at] = cosine(asked, vector)
      })
      return fuseScores(scores, cosines, calibration)
    } catch {
      // concurrent failures count once
      if (rests === 0) {
        failures = Math.min(failures + 1, MAX_FAILURES)
        rests = 2 ** failures - 1
      }
      return scores
    }
  }
}

/** Calibrates on the vectors of the probes: question, answer, question, answer … */
function calibrateOnProbes(vectors: readonly Vector[]): Calibration {
  const side = (rest: number) => vectors.filter((_, i) => i % 2 === rest)
  return calibrate(side(0), side(1))
}

/** Selects the best items by words. Skips blank text, which some services refuse. */
function selectItems(items: Parameters<Fuse>[1]): Array<{ at: number; content: string }> {
  return items
    .map(({ content, score }, at) => ({ at, content, score }))
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MAX_ITEMS)
    .filter(({ content }) => !isBlank(content))
}

function isBlank(text: string): boolean {
  return beginningOf(text).trim() === ''
}

function beginningOf(text: string): string {
  return text.slice(0, MAX_CHARACTERS).toWellFormed()
}

/** Returns vectors from a cache, and requests missing ones in one call. */
function cachedEmbed(embed: Embed, timeoutMs: number): (texts: readonly string[]) => Promise<Vector[]> {
  const memory = new VectorCache()

  /** A late answer is still cached for the next time. */
  async function ask(missing: ReadonlyMap<string, string>): Promise<Map<string, Vector>> {
    const answer: unknown = await embed([...missing.values()])
    if (!Array.isArray(answer) || answer.length !== missing.size) throw new TypeError('not a vector for each text')
    const vectors = new Map<string, Vector>()
    for (const [i, key] of [...missing.keys()].entries()) {
      const vector = toUnitVector(answer[i])
      if (vector === undefined) throw new TypeError('not a vector')
      vectors.set(key, vector)
    }
    for (const [key, vector] of vectors) memory.set(key, vector)
    return vectors
  }

  return async (texts) => {
    const keyed = texts.map(beginningOf).map((text) => [keyOf(text), text] as const)
    const found = new Map(keyed.map(([key]) => [key, memory.get(key)]))
    const missing = new Map(keyed.filter(([key]) => found.get(key) === undefined))
    if (missing.size > 0) for (const [key, vector] of await withTimeout(timeoutMs, ask(missing))) found.set(key, vector)
    const vectors = keyed.flatMap(([key]) => found.get(key) ?? [])
    if (vectors.some(({ length }) => length !== vectors[0]?.length)) {
      // if the function's dimension changed, cached vectors would block it forever
      memory.clear()
      throw new TypeError('vectors of different length')
    }
    return vectors
  }
}

/** Hashes the text: a purge does not reach this cache, so it must hold no content. */
function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** A cache of the most recently used vectors. */
class VectorCache {
  private readonly vectors = new Map<string, Vector>()

  get(key: string): Vector | undefined {
    const vector = this.vectors.get(key)
    if (vector !== undefined) this.set(key, vector)
    return vector
  }

  set(key: string, vector: Vector): void {
    this.vectors.delete(key)
    this.vectors.set(key, vector)
    const room = Math.min(MAX_TEXTS, MAX_NUMBERS / vector.length)
    for (const oldest of this.vectors.keys()) {
      if (this.vectors.size <= room) return
      this.vectors.delete(oldest)
    }
  }

  clear(): void {
    this.vectors.clear()
  }
}

/** Rejects if the promise takes too long. */
async function withTimeout<Value>(timeoutMs: number, promised: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>()
  // beyond 2 ** 31 - 1 a timer fires immediately
  const timer = setTimeout(() => late.reject(new Error('too late')), Math.min(timeoutMs, 2 ** 31 - 1))
  // lets the process exit while it waits
  timer.unref()
  try {
    return await Promise.race([promised, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
