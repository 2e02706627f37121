import type { RecallItem } from '../../api/types.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine, visible } from '../../parts/visible.ts'
import { eventHref } from '../../route.ts'
import css from './memory.module.css'
import { shortenId } from './memory-text.ts'

const KIND_NAMES: Readonly<Record<RecallItem['kind'], string>> = {
  event: 'message',
  commit: 'summary',
  memory: 'memory',
}

interface Props {
  readonly items: readonly RecallItem[]
  /** Link to a memory. */
  readonly hrefOf: (id: string) => string
  readonly currentSession?: string
  readonly label: string
}

/** Recalled items, best first, each with a link to its source; `currentSession` is the session on display. */
export function RecallResults({ items, hrefOf, currentSession, label }: Props) {
  return (
    <ol class="box rows" aria-label={label}>
      {items.map((item) => (
        <li key={`${item.kind} ${item.id}`} class={css.row}>
          <div class={css.facts}>
            <span class="badge" data-kind={item.kind}>
              {KIND_NAMES[item.kind] ?? item.kind}
            </span>
            {(item.agentId ?? item.role) !== undefined && (
              <span class="wrap">{oneLine(item.agentId ?? item.role ?? '', 60)}</span>
            )}
            <Ago at={item.at} />
            {item.sourceType !== undefined && <span>{item.sourceType}</span>}
            <span>score {item.score.toFixed(2)}</span>
            <ItemLink item={item} hrefOf={hrefOf} currentSession={currentSession} />
          </div>
          <Clamp text={item.content} most={400} class="verbatim small" />
        </li>
      ))}
    </ol>
  )
}

interface ItemLinkProps {
  readonly item: RecallItem
  readonly hrefOf: (id: string) => string
  readonly currentSession: string | undefined
}

function ItemLink({ item: { kind, id, sessionId, sequence }, hrefOf, currentSession }: ItemLinkProps) {
  if (kind === 'memory') return <a href={hrefOf(id)}>open memory</a>
  if (sessionId === undefined || sequence === undefined) return null
  return (
    <a href={eventHref(sessionId, sequence)}>
      event {sequence} of {sessionId === currentSession ? 'this session' : <code>{visible(shortenId(sessionId))}</code>}
    </a>
  )
}
