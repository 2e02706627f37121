import { analyzeText, type TextAnalysis } from './analyze.ts'

/** Characters indexed of a text; the rest of a longer one is data. */
export const MAX_INDEXED = 64 * 1024
/** Distinct terms indexed of a text. SQLite takes up to 10 µs to write one. */
const MAX_TERMS = 8192

/** Analyzes texts for the index. Yields after each. */
export function* analyzeTexts(texts: readonly string[]): Generator<undefined, TextAnalysis[]> {
  const analyses: TextAnalysis[] = []
  for (const text of texts) {
    analyses.push(analyzeForIndex(text))
    yield
  }
  return analyses
}

/** Analyzes the indexed part of a text. */
export function analyzeForIndex(text: string): TextAnalysis {
  const analysis = analyzeText(text.slice(0, MAX_INDEXED))
  if (analysis.places.size <= MAX_TERMS) return analysis
  return { ...analysis, places: new Map([...analysis.places].slice(0, MAX_TERMS)) }
}
