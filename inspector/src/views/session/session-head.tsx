import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { SessionRecord } from '../../api/types.ts'
import { CopyButton } from '../../parts/copy-button.tsx'
import { isOver, StatusBadge } from '../../parts/status.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import { eventHref, sessionsHref } from '../../route.ts'
import type { Live, SessionData } from '../../session/session-data.ts'
import { lastListQuery } from '../sessions/last-list.ts'
import css from './session-head.module.css'

const LIVE_TEXT = {
  connecting: 'connecting',
  live: 'live',
  away: 'paused',
  lost: 'connection lost, retrying',
} as const satisfies Record<Live, string>

/** Title and facts of a session. A narrow screen shows some facts only on demand. */
export function SessionHead({ data }: { data: SessionData }) {
  const [isWhole, setWhole] = useState(false)
  const record = data.record.value
  if (record === undefined) return null
  return (
    <div>
      <div class={css.title}>
        <a class={css.back} href={sessionsHref(lastListQuery.value)} aria-label="All sessions">
          ←
        </a>
        <h1 dir="auto">{record.task === undefined ? 'Untitled session' : preview(record.task)}</h1>
        <StatusBadge record={record} />
        {!isOver(record) && (
          <span class={css.live} data-live={data.live.value} role="status">
            {LIVE_TEXT[data.live.value]}
          </span>
        )}
      </div>
      <dl class={css.facts} data-whole={isWhole}>
        <Fact name="agent">{oneLine(record.activeAgent)}</Fact>
        <Fact name="turns">{record.turns.toLocaleString('en')}</Fact>
        <Fact name="events">{data.head.value.toLocaleString('en')}</Fact>
        <Fact name="last activity">
          <Ago at={record.lastActivityAt} />
        </Fact>
        <MoreFacts record={record} />
      </dl>
      <button
        type="button"
        class={`button quiet small ${css.more}`}
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
      >
        {isWhole ? 'Fewer details' : 'More details'}
      </button>
    </div>
  )
}

function MoreFacts({ record }: { record: SessionRecord }) {
  const { id, userId, tenant, chatmode, conversationId, startedAt, forkedFrom } = record
  return (
    <>
      <Fact name="started" isExtra>
        <Ago at={startedAt} />
      </Fact>
      <Fact name="user" isExtra>
        {oneLine(userId)}
      </Fact>
      <Fact name="tenant" isExtra>
        {oneLine(tenant)}
      </Fact>
      <Fact name="chatmode" isExtra>
        {oneLine(chatmode)}
      </Fact>
      <Fact name="conversation" isExtra>
        <a href={sessionsHref({ conversation: conversationId })}>{oneLine(conversationId, 40)}</a>
      </Fact>
      {forkedFrom !== undefined && (
        <Fact name="forked from" isExtra>
          <a href={eventHref(forkedFrom.sessionId, forkedFrom.sequence)}>event {forkedFrom.sequence}</a>
        </Fact>
      )}
      <Fact name="id" isExtra>
        <code>{id}</code> <CopyButton text={id} label="Copy session id" />
      </Fact>
    </>
  )
}

function Fact({ name, isExtra, children }: { name: string; isExtra?: boolean; children: ComponentChildren }) {
  return (
    <div class={isExtra ? css.rest : undefined}>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  )
}
