import type { Compute } from '../ports/compute.ts'

/** The name of a computation. */
export type JobName = keyof Compute
export type JobInput<Name extends JobName> = Parameters<Compute[Name]>
export type JobResult<Name extends JobName> = Awaited<ReturnType<Compute[Name]>>

/** A pure computation that yields between pieces of a few milliseconds. */
type Job<Name extends JobName> = (...input: JobInput<Name>) => Generator<undefined, JobResult<Name>>

/** The computations, each loaded on first use: the rules of extraction alone take a sixth of a second. */
const JOBS: { readonly [Name in JobName]: () => Promise<Job<Name>> } = {
  analyzeTexts: async () => (await import('../domain/recall/analyze-texts.ts')).analyzeTexts,
  analyzeContents: async () => (await import('../domain/memory/analyze-contents.ts')).analyzeContents,
  findSimilar: async () => (await import('../domain/memory/similarity.ts')).findSimilar,
  countTokens: async () => (await import('./count-tokens.ts')).countTokens,
  extractFacts: async () => (await import('../domain/memory/extract.ts')).extractingFacts,
}

/** Milliseconds without yielding to the event loop. */
const MAX_TURN = 10

/** Runs a computation in pieces, with other work of the event loop in between. */
export async function runInPieces<Name extends JobName>(name: Name, input: JobInput<Name>): Promise<JobResult<Name>> {
  const job = await JOBS[name]()
  const pieces = job(...input)
  let turned = performance.now()
  for (;;) {
    const { done, value } = pieces.next()
    if (done === true) return value
    if (performance.now() - turned < MAX_TURN) continue
    await new Promise((resolve) => setImmediate(setImmediate, resolve))
    turned = performance.now()
  }
}
