import { useState } from 'preact/hooks'
import type { Json, SessionEvent } from '../../api/types.ts'
import { shortJson } from '../../parts/short-json.ts'
import { Clock } from '../../parts/time.tsx'
import { visible } from '../../parts/visible.ts'
import { changeKinds, completeSince, type LoadedChanges } from './changes.ts'
import { describeChange } from './scratchpad-change.ts'
import css from './scratchpad-history.module.css'

/** Changes that are listed at first, and with each further click. */
const STEP = 100

interface Props {
  readonly known: LoadedChanges
  readonly sequence: number
  readonly onMove: (sequence: number) => void
}

/** Every change of the scratchpad, newest first; each leads the slider to it. */
export function ScratchpadHistory({ known, sequence, onMove }: Props) {
  const [most, setMost] = useState(STEP)
  const since = completeSince(known, 'scratchpad')
  const hasMore = since > 1
  const changes = known.events
    .filter((event) => event.sequence >= since && changeKinds(event).includes('scratchpad'))
    .toReversed()
  const present = changes.find((event) => event.sequence <= sequence)
  return (
    <section class="card stack-2" aria-label="Changes of the scratchpad">
      <h2>
        Changes of the scratchpad{' '}
        <span class="muted small">
          {hasMore && 'the last '}
          {changes.length.toLocaleString('en')}
        </span>
      </h2>
      {changes.length === 0 && (
        <p class="muted small">
          None {hasMore ? 'among the last changes of the session' : 'yet'}. Agents change it with{' '}
          <code>updateState()</code> and its relatives.
        </p>
      )}
      <ol class={css.list} reversed>
        {changes.slice(0, most).map((event) => (
          <li key={event.sequence}>
            <Entry event={event} isPresent={event === present} onMove={onMove} />
          </li>
        ))}
      </ol>
      {changes.length > most && (
        <button type="button" class="button small" onClick={() => setMost(most + STEP)}>
          Show {Math.min(STEP, changes.length - most)} more of {(changes.length - most).toLocaleString('en')}
        </button>
      )}
      {hasMore && changes.length <= most && (
        <p class="muted small">Older changes are not listed: the slider reaches them.</p>
      )}
    </section>
  )
}

function Entry({ event, isPresent, onMove }: { event: SessionEvent; isPresent: boolean } & Pick<Props, 'onMove'>) {
  const { op, patch } = describeChange(event.type, event.parts)
  return (
    <button
      type="button"
      class={css.entry}
      aria-current={isPresent ? 'true' : undefined}
      onClick={() => onMove(event.sequence)}
    >
      <span class="facts single">
        <span class="mono">#{event.sequence.toLocaleString('en')}</span>
        <strong>{op}</strong>
        <span class={css.when}>
          <Clock at={event.createdAt} />
        </span>
      </span>
      <code class="ellipsis" dir="auto">
        {visible(textOf(patch))}
      </code>
    </button>
  )
}

const textOf = (patch: Json | undefined) => (patch === undefined ? '' : shortJson(patch, 120))
