import type { Output } from './output.ts'
import { renderTable } from './table.ts'

/** A labelled value of a report. */
export type Fact = readonly [label: string, value: string]

/** Renders facts line by line with bold labels. The value labelled `alert` is red. */
export function renderFacts(facts: readonly Fact[], { paint }: Output, alert?: string): string {
  return renderTable(facts, [
    { value: ([label]) => label, paint: (text) => paint('bold', text) },
    { value: ([, value]) => value, paint: (text, [label]) => (label === alert ? paint('red', text) : text) },
  ])
}
