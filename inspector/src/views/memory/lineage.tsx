import { useState } from 'preact/hooks'
import type { LineageEntry } from '../../api/types.ts'
import { formatTime } from '../../parts/time.tsx'
import { oneLine, visible } from '../../parts/visible.ts'
import { eventHref, sessionHref } from '../../route.ts'
import css from './detail.module.css'
import { EventPreview } from './event-preview.tsx'
import { eventRange, formatConfidence, formatRange, RELATION_NAMES, shortenId } from './memory-text.ts'

/** Entries that are there at first, and with one more click. */
const PAGE_SIZE = 20

/** Where a memory comes from, and what speaks for and against it, back to the very events. */
export function Lineage({ entries }: { entries: readonly LineageEntry[] }) {
  const [shown, setShown] = useState(PAGE_SIZE)
  if (entries.length === 0) return <p class="muted">It does not say where it comes from.</p>
  const rest = entries.length - shown
  return (
    <>
      <ol class={css.lineage}>
        {entries.slice(0, shown).map((entry, i) => (
          // an entry has no name of its own, and new ones come at the end
          <li key={i} class="stack-1 wrap" data-relation={entry.relation}>
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      {rest > 0 && (
        <button type="button" class="button small" onClick={() => setShown(shown + PAGE_SIZE)}>
          Show {Math.min(rest, PAGE_SIZE)} more of {rest}
        </button>
      )}
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
          {confidence !== undefined && ` · believed ${formatConfidence(confidence)} at first`}
        </span>
      </p>
      {sessionId !== undefined && (
        <p class="small">
          {range === undefined ? (
            'said in '
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
          source outside: <code dir="auto">{oneLine(source, 200)}</code>
        </p>
      )}
      {sessionId === undefined && source === undefined && <p class="small muted">names no source</p>}
      {sessionId !== undefined && range !== undefined && <EventPreview sessionId={sessionId} {...range} />}
    </>
  )
}
