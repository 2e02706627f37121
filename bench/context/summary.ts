import { known } from '../measure.ts'
import { quantile, type Row } from '../table.ts'
import { type Sample, VIEWS, type View } from './replay.ts'

/** Share of the budget that contexts use, where the session holds more than the budget. */
export function budgetRows(samples: readonly Sample[]): Row[] {
  return budgets().flatMap((view) => {
    const over = samples.filter((sample) => sample.view === view && sample.held > view.maxTokens)
    return [
      shareRow(`${budgetName(view)}, every call`, view, over),
      shareRow(
        `${budgetName(view)}, final`,
        view,
        over.filter(({ isFinal }) => isFinal),
      ),
    ]
  })
}

function shareRow(name: string, { maxTokens }: View, samples: readonly Sample[]): Row {
  const shares = samples.map(({ tokens }) => (100 * tokens) / maxTokens).sort((a, b) => a - b)
  const tooLarge = samples.filter(({ tokens, counted = 0 }) => Math.max(tokens, counted) > maxTokens).length
  return {
    ...{ name, kind: 'throughline', note: tooLarge === 0 ? '' : `${tooLarge} OVER THE BUDGET` },
    ...known({ value: mean(shares) }),
    columns: {
      'worst tenth': quantile(shares, 0.1),
      minimum: shares[0],
      contexts: shares.length,
      // counted here, with o200k
      counted: mean(samples.map(({ counted = 0 }) => (100 * counted) / maxTokens)),
    },
  }
}

/** Share of the sent text that repeats the previous context of the session; larger contexts weigh more. */
export function prefixRows(samples: readonly Sample[]): Row[] {
  return VIEWS.map((view): Row => {
    const later = samples.filter((sample) => sample.view === view && sample.repeated !== undefined)
    const over = later.filter(({ held }) => held > view.maxTokens)
    const shares = later.map(({ repeated = 0, sent }) => (100 * repeated) / sent).sort((a, b) => a - b)
    return {
      ...{ name: viewName(view), kind: 'throughline', note: '' },
      ...known({ value: repeatedShare(later) }),
      columns: { 'over budget': repeatedShare(over), 'worst tenth': quantile(shares, 0.1), contexts: later.length },
    }
  })
}

function repeatedShare(samples: readonly Sample[]): number | undefined {
  const sent = samples.reduce((sum, sample) => sum + sample.sent, 0)
  return sent === 0 ? undefined : (100 * samples.reduce((sum, { repeated = 0 }) => sum + repeated, 0)) / sent
}

/** Average counts of omissions. Every text of an entry is part of its kind: section, reason and any other. */
export function omittedRows(samples: readonly Sample[]): Row[] {
  const kinds = new Map<string, Map<View, number>>()
  for (const { view, omitted, held } of samples) {
    if (held <= view.maxTokens) continue
    for (const entry of omitted) {
      const kind = kindOf(entry)
      const counts = kinds.get(kind) ?? new Map<View, number>()
      kinds.set(kind, counts.set(view, (counts.get(view) ?? 0) + ((entry as { count?: number }).count ?? 1)))
    }
  }
  const contexts = (view: View) =>
    samples.filter((sample) => sample.view === view && sample.held > view.maxTokens).length
  const average = (counts: Map<View, number>, view: View) =>
    contexts(view) === 0 ? undefined : (counts.get(view) ?? 0) / contexts(view)
  const [first, ...others] = budgets()
  return [...kinds].sort().map(
    ([name, counts]): Row => ({
      ...{ name, kind: 'throughline', note: '' },
      ...known({ value: first && average(counts, first) }),
      columns: Object.fromEntries(others.map((view) => [budgetName(view), average(counts, view)])),
    }),
  )
}

function kindOf(entry: object): string {
  const texts = Object.entries(entry).filter(([, value]) => typeof value === 'string')
  return texts.map(([key, value]) => `${key} ${value}`).join(', ')
}

/** Views without a format, the smallest budget first. */
export function budgets(): View[] {
  return VIEWS.filter(({ format }) => format === undefined).toSorted((a, b) => a.maxTokens - b.maxTokens)
}

export const budgetName = ({ maxTokens }: View) => `${maxTokens / 1000}k`

const viewName = (view: View) => [budgetName(view), view.format].filter((text) => text !== undefined).join(' ')

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length
}
