import type { TextAnalysis } from '../recall/analyze.ts'
import { analyzeForIndex } from '../recall/analyze-texts.ts'
import { gistOf, significantTerms } from './similarity.ts'

/** The content of a memory, ready for the index and for comparing. */
export interface ContentAnalysis {
  readonly description: TextAnalysis
  /** Equal for contents that say the same. */
  readonly gist: string
  /** Unique terms and meaning-changing words, in order. */
  readonly terms: readonly string[]
}

/** Analyzes contents. Yields after each. */
export function* analyzeContents(contents: readonly string[]): Generator<undefined, ContentAnalysis[]> {
  const analyses: ContentAnalysis[] = []
  for (const content of contents) {
    const said = significantTerms(content)
    analyses.push({ description: analyzeForIndex(content), gist: gistOf(content, said), terms: [...new Set(said)] })
    yield
  }
  return analyses
}
