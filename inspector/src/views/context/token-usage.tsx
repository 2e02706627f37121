import type { ContextResult } from '../../api/types.ts'
import { Table } from '../../parts/table.tsx'
import css from './context.module.css'
import { formatPercent, PART_NAMES, type Segment, toSegments } from './context-parts.ts'

/** Below this share of the budget, the used tokens get a bar of their own. */
const LOW_USAGE = 0.5

interface Props {
  readonly result: ContextResult<unknown>
  readonly budget: number
}

/** Token usage by part, as bars and a table. */
export function TokenUsage({ result: { sections, tokens }, budget }: Props) {
  const segments = toSegments(sections, budget)
  const isLow = tokens > 0 && tokens < budget * LOW_USAGE
  return (
    <>
      <UsageBar name={`${formatCount(budget)}-token budget`} segments={segments} />
      {isLow && <UsageBar name={`${formatCount(tokens)} tokens used`} segments={toSegments(sections, 0)} />}
      <UsageTable segments={segments} tokens={tokens} budget={budget} />
    </>
  )
}

const formatCount = (tokens: number) => tokens.toLocaleString('en')
const partName = (part: Segment['part']) => (part === 'unused' ? 'Unused' : PART_NAMES[part])

function UsageBar({ name, segments }: { name: string; segments: readonly Segment[] }) {
  const summary = segments.map(({ part, tokens }) => `${partName(part)} ${formatCount(tokens)}`).join(', ')
  return (
    <figure class="stack-1">
      <figcaption class="muted small">{name}</figcaption>
      <svg class={css.bar} width="100%" height="24" role="img" aria-label={`${name}: ${summary || 'nothing'}`}>
        <rect class={css.track} width="100%" height="24" />
        {segments
          .filter(({ part }) => part !== 'unused')
          .map(({ part, start, size, tokens }) => (
            <rect
              key={part}
              class={css.segment}
              data-part={part}
              x={`${start * 100}%`}
              width={`${size * 100}%`}
              height="24"
            >
              <title>{`${partName(part)}: ${formatCount(tokens)}`}</title>
            </rect>
          ))}
      </svg>
    </figure>
  )
}

const COLUMNS = { Part: '', Pieces: 'number', Tokens: 'number', Share: 'number' }

function UsageTable({ segments, tokens, budget }: { segments: readonly Segment[]; tokens: number; budget: number }) {
  return (
    <Table
      columns={COLUMNS}
      foot={
        <tr>
          <th scope="row">Used</th>
          <td />
          <td class="number">{formatCount(tokens)}</td>
          <td class="number">{budget === 0 ? '' : formatPercent(tokens / budget)}</td>
        </tr>
      }
    >
      {segments.map(({ part, count: pieces, tokens: cost, size }) => (
        <tr key={part}>
          <th scope="row">
            <span class={css.swatch} data-part={part} aria-hidden="true" />
            {partName(part)}
          </th>
          <td class="number">{part === 'unused' ? '' : formatCount(pieces)}</td>
          <td class="number">{formatCount(cost)}</td>
          <td class="number">{formatPercent(size)}</td>
        </tr>
      ))}
    </Table>
  )
}
