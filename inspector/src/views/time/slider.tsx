import type { ChangeKind, MarkRow } from './changes.ts'
import css from './slider.module.css'

/** What a row of marks is called. */
export const KIND_NAMES = {
  scratchpad: 'scratchpad',
  status: 'status',
  agent: 'agent',
  envelope: 'envelope',
  work: 'work',
  commit: 'commit',
} as const satisfies Record<ChangeKind, string>

interface Props {
  readonly sequence: number
  readonly head: number
  readonly rows: readonly MarkRow[]
  readonly onMove: (sequence: number) => void
}

/** The slider through the log, and below it what changed where: a click on a mark goes there. */
export function Slider({ sequence, head, rows, onMove }: Props) {
  const share = head <= 1 ? 0 : (sequence - 1) / (head - 1)
  return (
    <div class={css.slider}>
      <label class={css.name} for="moment">
        event
      </label>
      <input
        id="moment"
        class={css.range}
        type="range"
        min={1}
        max={Math.max(head, 1)}
        step={1}
        value={sequence}
        disabled={head <= 1}
        aria-valuetext={`event ${sequence.toLocaleString('en')} of ${head.toLocaleString('en')}`}
        onInput={({ currentTarget }) => onMove(currentTarget.valueAsNumber)}
      />
      {rows.map((row) => (
        <Row key={row.kind} row={row} share={share} onMove={onMove} />
      ))}
    </div>
  )
}

function Row({ row: { kind, marks, count }, share, onMove }: { row: MarkRow; share: number; onMove: Props['onMove'] }) {
  return (
    <>
      <span class={css.name} title={`${count.toLocaleString('en')} changes`}>
        {KIND_NAMES[kind]}
      </span>
      <div class={css.row} data-change={kind}>
        <span class={css.now} style={{ insetInlineStart: `${share * 100}%` }} />
        {marks.map((mark) => {
          const many = mark.count > 1 ? `${mark.count.toLocaleString('en')} changes up to event` : 'event'
          const label = `${KIND_NAMES[kind]}: ${many} ${mark.sequence.toLocaleString('en')}`
          return (
            <button
              key={mark.sequence}
              type="button"
              // the buttons for the previous and the next change are the way of the keyboard: hundreds of stops are none
              tabIndex={-1}
              class={css.mark}
              style={{ insetInlineStart: `${mark.share * 100}%` }}
              aria-label={label}
              title={label}
              onClick={() => onMove(mark.sequence)}
            />
          )
        })}
      </div>
    </>
  )
}
