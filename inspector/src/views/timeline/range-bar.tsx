import { Button } from '../../parts/button.tsx'
import { endTime, type Range, SIZE } from './ranges.ts'

/** Navigation between the parts of a very long log. */
export function RangeBar({ range, head, onOpen }: { range: Range; head: number; onOpen: (sequence: number) => void }) {
  const end = endTime(range, head)
  if (range.from === 1 && end === head) return null
  const ways: [string, number, boolean][] = [
    ['First', 1, range.from > 1],
    ['Previous', Math.max(1, range.from - SIZE), range.from > 1],
    ['Next', end + 1, end < head],
    ['Last', head, end < head],
  ]
  return (
    <nav class="row small" aria-label="Parts of the log">
      <span class="muted">
        Events {range.from.toLocaleString('en')} to {end.toLocaleString('en')} of {head.toLocaleString('en')}
      </span>
      {ways.map(([name, sequence, isOpen]) => (
        <Button key={name} look="small" text={name} disabled={!isOpen} onClick={() => onOpen(sequence)} />
      ))}
    </nav>
  )
}
