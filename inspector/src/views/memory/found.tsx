import type { RecallItem } from '../../api/types.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine } from '../../parts/visible.ts'
import { eventHref, memoryHref } from '../../route.ts'
import type { User } from './ask.ts'
import css from './memory.module.css'

const KINDS: Readonly<Record<RecallItem['kind'], string>> = {
  event: 'message',
  commit: 'summary',
  memory: 'memory',
}

/** What was recalled, best first, each with a link to where it was said. */
export function Found({ items, user, label }: { items: readonly RecallItem[]; user: User; label: string }) {
  return (
    <ol class={css.list} aria-label={label}>
      {items.map((item) => (
        <li key={`${item.kind} ${item.id}`} class={css.row}>
          <div class={css.facts}>
            <span class="badge" data-kind={item.kind}>
              {KINDS[item.kind] ?? item.kind}
            </span>
            {(item.agentId ?? item.role) !== undefined && (
              <span class={css.scope}>{oneLine(item.agentId ?? item.role ?? '', 60)}</span>
            )}
            <Ago at={item.at} />
            {item.sourceType !== undefined && <span>{item.sourceType}</span>}
            <span>score {item.score.toFixed(2)}</span>
            <Where item={item} user={user} />
          </div>
          <Clamp text={item.content} most={600} class={css.said ?? ''} />
        </li>
      ))}
    </ol>
  )
}

function Where({
  item: { kind, id, sessionId, sequence },
  user: { userId, tenant },
}: {
  item: RecallItem
  user: User
}) {
  if (kind === 'memory') return <a href={memoryHref({ user: userId, tenant, memory: id })}>the memory</a>
  if (sessionId === undefined || sequence === undefined) return null
  return (
    <a href={eventHref(sessionId, sequence)}>
      event {sequence} of <code>{oneLine(sessionId, 8)}</code>
    </a>
  )
}
