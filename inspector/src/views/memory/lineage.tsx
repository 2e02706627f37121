import type { LineageEntry } from '../../api/types.ts'
import { useShowMore } from '../../parts/show-more.tsx'
import { formatTime } from '../../parts/time.tsx'
import { oneLine, visible } from '../../parts/visible.ts'
import { eventHref, sessionHref } from '../../route.ts'
import css from './detail.module.css'
import { EventPreview } from './event-preview.tsx'
import { eventRange, formatConfidence, formatRange, RELATION_NAMES, shortenId } from './memory-text.ts'

/** The sources of a memory, and the evidence for and against it, down to the events. */
export function Lineage({ entries }: { entries: readonly LineageEntry[] }) {
  const { shown, more } = useShowMore(entries, 20)
  if (entries.length === 0) return <p class="muted">No source recorded.</p>
  return (
    <>
      <ol class={css.lineage}>
        {shown.map((entry, i) => (
          // entries have no id, and new ones are added at the end
          <li key={i} class="stack-1 wrap" data-relation={entry.relation}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      {more && <div>{more}</div>}
    </>
  )
}

function Entry({ entry }: { entry: LineageEntry }) {
  const { relation, at, sourceType, confidence, sessionId, source } = entry
  const range = eventRange(entry)
  return (
    <>
      <p>
        <strong>{RELATION_NAMES[relation] ?? relation}</strong>{' '}
        <span class="muted small">
          {formatTime(at)}
          {sourceType !== undefined && ` · ${sourceType}`}
          {confidence !== undefined && ` · initial confidence ${formatConfidence(confidence)}`}
        </span>
      </p>
      {sessionId !== undefined && (
        <p class="small">
          {range === undefined ? (
            'from '
          ) : (
            <>
              <a href={eventHref(sessionId, range.from)}>{formatRange(range)}</a> of{' '}
            </>
          )}
          <a href={sessionHref(sessionId)}>
            session <code>{visible(shortenId(sessionId))}</code>
          </a>
        </p>
      )}
      {source !== undefined && (
        <p class="small">
          external source: <code dir="auto">{oneLine(source, 200)}</code>
        </p>
      )}
      {sessionId === undefined && source === undefined && <p class="small muted">no source</p>}
      {sessionId !== undefined && range !== undefined && <EventPreview sessionId={sessionId} {...range} />}
    </>
  )
}
