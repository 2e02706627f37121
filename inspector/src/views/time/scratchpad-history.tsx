import type { Json, SessionEvent } from '../../api/types.ts'
import { shortJson } from '../../parts/short-json.ts'
import { useShowMore } from '../../parts/show-more.tsx'
import { Clock } from '../../parts/time.tsx'
import { visible } from '../../parts/visible.ts'
import { changeKinds, completeSince, type LoadedChanges } from './changes.ts'
import { describeChange } from './scratchpad-change.ts'
import css from './scratchpad-history.module.css'

interface Props {
  readonly known: LoadedChanges
  readonly sequence: number
  readonly onMove: (sequence: number) => void
}

/** All changes of the scratchpad, newest first; a click moves the slider there. */
export function ScratchpadHistory({ known, sequence, onMove }: Props) {
  const since = completeSince(known, 'scratchpad')
  const hasMore = since > 1
  const changes = known.events
    .filter((event) => event.sequence >= since && changeKinds(event).includes('scratchpad'))
    .toReversed()
  const { shown, more } = useShowMore(changes, 100)
  const present = changes.find((event) => event.sequence <= sequence)
  return (
    <section class="card stack-2" aria-label="Scratchpad history">
      <h2>
        Scratchpad history{' '}
        <span class="muted small">
          {hasMore && 'the last '}
          {changes.length.toLocaleString('en')}
        </span>
      </h2>
      {changes.length === 0 && (
        <p class="muted small">
          {hasMore ? 'No recent changes' : 'No changes yet'}. Agents change it with <code>updateState()</code> and
          similar calls.
        </p>
      )}
      <ol class={css.list} reversed>
        {shown.map((event) => (
          <li key={event.sequence}>
            <Entry event={event} isPresent={event === present} onMove={onMove} />
          </li>
        ))}
      </ol>
      {more && <div>{more}</div>}
      {hasMore && !more && <p class="muted small">Older changes are not listed. Use the slider to reach them.</p>}
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
