import type { SessionEvent } from '../domain/event.ts'
import type { ContentAnalysis } from '../domain/memory/analyze-contents.ts'
import type { Fact } from '../domain/memory/extract.ts'
import type { SimilarContents } from '../domain/memory/similarity.ts'
import type { TextAnalysis } from '../domain/recall/analyze.ts'

/**
 * Long computations on texts, outside of store calls. None blocks the event loop: long ones run in a worker thread, or
 * in pieces between other work. The results are the same either way.
 */
export interface Compute {
  /** Analyzes messages for the index. */
  analyzeTexts(texts: readonly string[]): Promise<TextAnalysis[]>
  /** Analyzes contents of memories, for the index and for comparing. */
  analyzeContents(contents: readonly string[]): Promise<ContentAnalysis[]>
  /** For each content of `asked`, the ones of `held` that say the same. */
  findSimilar(asked: readonly string[], held: readonly string[]): Promise<SimilarContents[]>
  /** Counts the tokens of a text like the exact tokenizer, or of as much of it as is above `atMost`. */
  countTokens(text: string, atMost: number): Promise<number>
  /** Extracts facts by rules. */
  extractFacts(events: readonly SessionEvent[]): Promise<Fact[]>
}
