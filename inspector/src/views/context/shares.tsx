import type { ContextResult } from '../../api/types.ts'
import css from './context.module.css'
import { PART_NAMES, percent, type Segment, segmentsOf } from './shares.ts'

/** Where much is unused, what is used gets a bar of its own. */
const LITTLE = 0.5

/** What the budget went to: as a bar, and in numbers. */
export function Shares({ answer: { sections, tokens }, budget }: { answer: ContextResult<unknown>; budget: number }) {
  const segments = segmentsOf(sections, budget)
  const isLittle = tokens > 0 && tokens < budget * LITTLE
  return (
    <>
      <Bar name={`The budget of ${count(budget)} tokens`} segments={segments} />
      {isLittle && <Bar name={`The ${count(tokens)} tokens of it that are used`} segments={segmentsOf(sections, 0)} />}
      <Legend segments={segments} tokens={tokens} budget={budget} />
    </>
  )
}

const count = (tokens: number) => tokens.toLocaleString('en')
const nameOf = (part: Segment['part']) => (part === 'unused' ? 'Unused' : PART_NAMES[part])

function Bar({ name, segments }: { name: string; segments: readonly Segment[] }) {
  const told = segments.map(({ part, tokens }) => `${nameOf(part)} ${count(tokens)}`).join(', ')
  return (
    <figure class="stack-1">
      <figcaption class="muted small">{name}</figcaption>
      <svg class={css.bar} width="100%" height="24" role="img" aria-label={`${name}: ${told || 'nothing'}`}>
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
              <title>{`${nameOf(part)}: ${count(tokens)}`}</title>
            </rect>
          ))}
      </svg>
    </figure>
  )
}

function Legend({ segments, tokens, budget }: { segments: readonly Segment[]; tokens: number; budget: number }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col" class="number">
            Pieces
          </th>
          <th scope="col" class="number">
            Tokens
          </th>
          <th scope="col" class="number">
            Share
          </th>
        </tr>
      </thead>
      <tbody>
        {segments.map(({ part, count: pieces, tokens: cost, size }) => (
          <tr key={part}>
            <th scope="row">
              <span class={css.swatch} data-part={part} aria-hidden="true" />
              {nameOf(part)}
            </th>
            <td class="number">{part === 'unused' ? '' : count(pieces)}</td>
            <td class="number">{count(cost)}</td>
            <td class="number">{percent(size)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">Used</th>
          <td />
          <td class="number">{count(tokens)}</td>
          <td class="number">{budget === 0 ? '' : percent(tokens / budget)}</td>
        </tr>
      </tfoot>
    </table>
  )
}
