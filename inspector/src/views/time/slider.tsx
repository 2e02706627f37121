import type { MarkRow } from './changes.ts'
import css from './slider.module.css'

interface Props {
  readonly sequence: number
  readonly head: number
  readonly rows: readonly MarkRow[]
  readonly onMove: (sequence: number) => void
}

/** The slider through the log, with marks for changes; a click on a mark goes there. */
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
        {kind}
      </span>
      <div class={css.row} data-change={kind}>
        <span class={css.now} style={{ insetInlineStart: `${share * 100}%` }} />
        {marks.map((mark) => {
          const many = mark.count > 1 ? `${mark.count.toLocaleString('en')} changes up to event` : 'event'
          const label = `${kind}: ${many} ${mark.sequence.toLocaleString('en')}`
          return (
            <button
              key={mark.sequence}
              type="button"
              // keyboard users take the buttons for the previous and next change: hundreds of tab stops help nobody
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
