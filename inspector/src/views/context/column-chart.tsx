import { scaleBand, scaleLinear } from 'd3-scale'
import { useState } from 'preact/hooks'
import { useWidth } from '../../parts/use-width.ts'
import { formatTokens } from './budget.ts'
import { type BudgetResult, stackParts } from './budget-results.ts'
import css from './context.module.css'
import { PART_NAMES } from './context-parts.ts'

const HEIGHT = 220
const EDGE = { top: 20, right: 8, bottom: 22, left: 46 } as const

/** One stacked column per budget, in tokens or as shares of the budget. */
export function ColumnChart({ all }: { all: readonly BudgetResult[] }) {
  const [ref, width] = useWidth<HTMLDivElement>()
  const [unit, setUnit] = useState<Unit>('tokens')
  return (
    <div class="stack-2">
      <fieldset class="toolbar">
        <legend class="hidden">Unit</legend>
        {(['tokens', 'share'] as const).map((name) => (
          <label key={name} class="check">
            <input type="radio" name="unit" checked={unit === name} onChange={() => setUnit(name)} />
            <span>{name === 'tokens' ? 'tokens' : 'share of the budget'}</span>
          </label>
        ))}
      </fieldset>
      <div ref={ref} class={css.canvas}>
        {width > 0 && <Drawing all={all} width={Math.min(width, 720)} unit={unit} />}
      </div>
    </div>
  )
}

type Unit = 'tokens' | 'share'

function Drawing({ all, width, unit }: { all: readonly BudgetResult[]; width: number; unit: Unit }) {
  const totalOf = ({ budget }: BudgetResult) => (unit === 'share' ? Math.max(1, budget) : 1)
  const max = unit === 'share' ? 1 : Math.max(1, ...all.map(({ tokens }) => tokens))
  const x = scaleBand<number>(
    all.map(({ budget }) => budget),
    [EDGE.left, width - EDGE.right],
  ).padding(0.35)
  const y = scaleLinear([0, max], [HEIGHT - EDGE.bottom, EDGE.top])
  const ticks = unit === 'share' ? [0, 0.25, 0.5, 0.75, 1] : y.ticks(4).filter(Number.isInteger)
  const tickText = (tick: number) => (unit === 'share' ? `${tick * 100}%` : formatAxis(tick))
  const middle = x.bandwidth() / 2
  const summary = all.map(({ budget, tokens }) => `${formatTokens(budget)}: ${tokens.toLocaleString('en')}`).join(', ')
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={`Tokens used at each budget: ${summary}`} class="drawing">
      {ticks.map((tick) => (
        <g key={tick} transform={`translate(0 ${y(tick)})`}>
          <line class="gridline" x1={EDGE.left} x2={width - EDGE.right} />
          <text class="axis" x={EDGE.left - 6} dy="0.32em" text-anchor="end">
            {tickText(tick)}
          </text>
        </g>
      ))}
      {all.map((one) => (
        <g key={one.budget} transform={`translate(${x(one.budget) ?? 0} 0)`}>
          {stackParts(one).map(({ part, from, to }) => (
            <rect
              key={part}
              class={css.segment}
              data-part={part}
              width={x.bandwidth()}
              y={y(to / totalOf(one))}
              height={Math.max(0, y(from / totalOf(one)) - y(to / totalOf(one)))}
            >
              <title>{`${PART_NAMES[part]}: ${(to - from).toLocaleString('en')}`}</title>
            </rect>
          ))}
          <text class={css.top} x={middle} y={y(one.tokens / totalOf(one)) - 5} text-anchor="middle">
            {unit === 'share' ? `${Math.round((one.tokens / totalOf(one)) * 100)}%` : formatAxis(one.tokens)}
          </text>
          <text class="axis" x={middle} y={HEIGHT - 6} text-anchor="middle">
            {formatTokens(one.budget)}
          </text>
        </g>
      ))}
    </svg>
  )
}

/** Short form for an axis: `950`, `1.2k`, `31k`. */
function formatAxis(tokens: number): string {
  if (tokens < 1000) return String(tokens)
  return `${Number((tokens / 1000).toFixed(tokens < 10_000 ? 1 : 0))}k`
}
