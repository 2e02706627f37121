import { countOf, formatCount, formatSpan } from '../../parts/amounts.ts'
import { memo } from '../../parts/memo.tsx'
import { oneLine } from '../../parts/visible.ts'
import { isCustomType } from '../../session/event-facts.ts'
import { customName } from './describe.ts'
import row from './event-row.module.css'
import css from './group-row.module.css'
import type { NoiseEntry, StepsEntry, ToolCount } from './grouped-rows.ts'

/** Tools, or types of events, that are listed. */
const LISTED = 8

interface StepsProps {
  readonly entry: StepsEntry
  /** Sub-agents that were called in it. */
  readonly subAgents: number
  readonly onToggle: (group: StepsEntry) => void
}

/** The steps of a turn on one line: calls by tool, failures, and what lies between them. */
export const StepsRow = memo(({ entry, subAgents, onToggle }: StepsProps) => {
  const { tools, calls, failed, open, messages, custom, ms, isOpen } = entry
  const rest = tools.slice(LISTED).reduce((sum, tool) => sum + tool.calls, 0)
  const others = [
    subAgents > 0 && countOf(subAgents, 'sub-agent'),
    messages > 0 && countOf(messages, 'message'),
    custom > 0 && countOf(custom, 'custom event'),
    ms > 0 && formatSpan(ms),
  ]
  return (
    <div class={row.row}>
      <span class={`${row.anchor} ${css.number}`}>#{entry.from}</span>
      <button type="button" class={css.steps} aria-expanded={isOpen} onClick={() => onToggle(entry)}>
        <b class={css.label}>{countOf(calls, 'call')}</b>
        <span class={css.tools}>
          {tools.slice(0, LISTED).map((tool) => (
            <Tool key={tool.name} tool={tool} />
          ))}
          {rest > 0 && <span class={css.tool}>{countOf(rest, 'other')}</span>}
        </span>
        <span class={css.others}>
          {failed > 0 && <span class={css.failed}>{formatCount(failed)} failed</span>}
          {open > 0 && <span class={css.open}>{formatCount(open)} without result</span>}
          {others.filter(Boolean).join(' · ')}
        </span>
      </button>
    </div>
  )
})

function Tool({ tool: { name, calls, failed } }: { tool: ToolCount }) {
  return (
    <span class={css.tool} title={failed === 0 ? undefined : `${formatCount(failed)} failed`}>
      <span dir="auto">{oneLine(name, 40)}</span> <b>{formatCount(calls)}</b>
      {failed > 0 && (
        <b class={css.failed}>
          {' '}
          <span aria-hidden="true">✗</span>
          {formatCount(failed)}
          <span class="hidden"> failed</span>
        </b>
      )}
    </span>
  )
}

interface NoiseProps {
  readonly entry: NoiseEntry
  readonly onToggle: (group: NoiseEntry) => void
}

/** Custom events on one line: how many of each type. */
export const NoiseRow = memo(({ entry, onToggle }: NoiseProps) => {
  const { types, results, isOpen } = entry
  const count = types.reduce((sum, [, times]) => sum + times, 0)
  const isCustom = types.every(([type]) => isCustomType(type))
  return (
    <div class={row.row} data-thin="">
      <span class={`${row.anchor} ${css.number}`}>#{entry.from}</span>
      <button type="button" class={css.noise} aria-expanded={isOpen} onClick={() => onToggle(entry)}>
        <span class={css.label}>{countOf(count, isCustom ? 'custom event' : 'event')}</span>
        <span class={css.types} dir="auto">
          {types
            .slice(0, LISTED)
            .map(([type, times]) => `${oneLine(nameOf(type), 60)} ${formatCount(times)}`)
            .join(' · ')}
          {types.length > LISTED && ' · …'}
          {results > 0 && ` · ${countOf(results, 'result')} of calls above`}
        </span>
      </button>
    </div>
  )
})

const nameOf = (type: string) => (isCustomType(type) ? customName(type).replace(/^x\./, '') : 'empty message')
