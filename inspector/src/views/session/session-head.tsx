import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { SessionRecord } from '../../api/types.ts'
import { addSums, NO_USAGE } from '../../domain.ts'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Fact } from '../../parts/fact.tsx'
import { isOver, StatusBadge } from '../../parts/status.tsx'
import { Ago } from '../../parts/time.tsx'
import { ShortUsage, UsageFacts } from '../../parts/usage-facts.tsx'
import { oneLine, preview } from '../../parts/visible.ts'
import { eventHref, sessionHref, sessionsHref } from '../../route.ts'
import type { Live, SessionData } from '../../session/session-data.ts'
import type { ActionRunner } from '../actions/action-runner.ts'
import { lastListQuery } from '../sessions/last-list.ts'
import { LiveRun } from './live-run.tsx'
import { ParentLink } from './parent-fact.tsx'
import css from './session-head.module.css'

const LIVE_TEXT = {
  connecting: 'connecting',
  live: 'live',
  away: 'paused',
  lost: 'connection lost, retrying',
} as const satisfies Record<Live, string>

/** Title and facts of a session. A narrow screen shows some facts only on demand. */
export function SessionHead({ data, runner }: { data: SessionData; runner: ActionRunner }) {
  const [isWhole, setWhole] = useState(false)
  const record = data.record.value
  if (record === undefined) return null
  return (
    <div>
      <div class={css.title}>
        <a class={css.back} href={sessionsHref(lastListQuery.value)} aria-label="All sessions">
          ←
        </a>
        <h1 class={css.heading} dir="auto" title={record.task && preview(record.task, 1000)}>
          {record.task === undefined ? 'Untitled session' : preview(record.task)}
        </h1>
        <StatusBadge record={record} />
        {!isOver(record) && (
          <span class={css.live} data-live={data.live.value} role="status">
            {LIVE_TEXT[data.live.value]}
          </span>
        )}
      </div>
      <LiveRun record={record} runner={runner} />
      <dl class={css.facts} data-whole={isWhole}>
        <Fact name="agent">{oneLine(record.activeAgent)}</Fact>
        <Fact name="turns">{record.turns.toLocaleString('en')}</Fact>
        <Fact name="events">{data.head.value.toLocaleString('en')}</Fact>
        <Fact name="last activity">
          <Ago at={record.lastActivityAt} />
        </Fact>
        <SessionUsage data={data} />
        {record.parent !== undefined && (
          <Fact name="sub-agent of">
            <ParentLink parent={record.parent} />
          </Fact>
        )}
        {data.children.items.value.length > 0 && (
          <Fact name="sub-agents">
            <a href={sessionHref(record.id, 'agents')}>{data.children.items.value.length.toLocaleString('en')}</a>
          </Fact>
        )}
        <MoreFacts record={record} />
      </dl>
      <Button
        look={`quiet small ${css.more}`}
        text={isWhole ? 'Fewer details' : 'More details'}
        aria-expanded={isWhole}
        onClick={() => setWhole(!isWhole)}
      />
    </div>
  )
}

/** Tokens and cost of the session, and with its sub-agents. */
function SessionUsage({ data }: { data: SessionData }) {
  const record = data.record.value
  const own = record?.usage?.total
  const below = data.children.items.value.reduce((sum, child) => addSums(sum, child.usage?.total ?? NO_USAGE), NO_USAGE)
  const total = addSums(own ?? NO_USAGE, below)
  return (
    <>
      {own !== undefined && (
        <Fact name="usage">
          <UsageFacts usage={own} />
        </Fact>
      )}
      {below.messages > 0 && (
        <Fact name="with sub-agents">
          <ShortUsage usage={total} />
        </Fact>
      )}
    </>
  )
}

function MoreFacts({ record }: { record: SessionRecord }) {
  const { id, userId, tenant, chatmode, conversationId, startedAt, forkedFrom: source } = record
  const facts: [name: string, value: ComponentChildren][] = [
    ['started', <Ago at={startedAt} />],
    ['user', oneLine(userId)],
    ['tenant', oneLine(tenant)],
    ['chatmode', oneLine(chatmode)],
    ['conversation', <a href={sessionsHref({ conversation: conversationId })}>{oneLine(conversationId, 40)}</a>],
  ]
  if (source !== undefined)
    facts.push(['forked from', <a href={eventHref(source.sessionId, source.sequence)}>event {source.sequence}</a>])
  return (
    <>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name} class={css.rest}>
          {value}
        </Fact>
      ))}
      <Fact name="id" class={css.rest}>
        <code>{id}</code> <CopyButton text={id} label="Copy session id" />
      </Fact>
    </>
  )
}
