import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Json, JsonObject, SessionEvent } from '../../api/types.ts'
import { isObject } from '../../domain.ts'
import { Button } from '../../parts/button.tsx'
import { Clamp } from '../../parts/clamp.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Fact } from '../../parts/fact.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { shortText } from '../../parts/short-json.ts'
import { formatTime } from '../../parts/time.tsx'
import { oneLine, visible } from '../../parts/visible.ts'
import { eventHref, sessionHref } from '../../route.ts'
import { describeObservation, observationsIn } from './describe.ts'
import css from './event-row.module.css'

/** Items of a list that are shown. */
const LISTED = 100

/** Everything about one event. */
export function EventDetails({ event }: { event: SessionEvent }) {
  const [isRaw, setRaw] = useState(false)
  const { sequence, type, role, agentId, occurredAt, createdAt, id, sessionId } = event
  const link = new URL(eventHref(sessionId, sequence), location.href).href
  return (
    <div class="stack">
      <TypeDetails event={event} />
      <dl class={css.facts}>
        <Fact name="type">
          <code>{oneLine(type, 100)}</code>
        </Fact>
        <Fact name="role">{role}</Fact>
        {agentId !== undefined && <Fact name="agent">{oneLine(agentId, 100)}</Fact>}
        <Fact name="recorded">{formatTime(createdAt)}</Fact>
        {occurredAt !== undefined && <Fact name="occurred">{oneLine(formatTime(occurredAt), 60)}</Fact>}
        <Fact name="id">
          <code>{id}</code>
        </Fact>
      </dl>
      <div class="row">
        <CopyButton text={link} label="Copy link to this event" />
        <Button look="small" text="Raw JSON" aria-expanded={isRaw} onClick={() => setRaw(!isRaw)} />
      </div>
      {isRaw && <JsonView value={event} />}
    </div>
  )
}

/** What this kind of event holds beyond its line. */
function TypeDetails({ event }: { event: SessionEvent }) {
  const parts = isObject(event.parts) ? event.parts : undefined
  switch (event.type) {
    case 'user_message':
    case 'model_message':
    case 'tool_call':
      return parts === undefined ? null : <NamedJson name="parts" value={parts} />
    case 'tool_result':
      return <Clamp text={event.content} />
    case 'work_committed':
      return <Observations event={event} />
    case 'session_compacted':
    case 'context_summarized':
      return (
        <>
          <Markdown text={event.content} />
          {parts !== undefined && <Fields of={parts} sessionId={event.sessionId} />}
        </>
      )
    default:
      return (
        <>
          {event.content !== '' && <Clamp text={event.content} />}
          {parts !== undefined && <Fields of={parts} sessionId={event.sessionId} />}
          {parts === undefined && event.parts !== undefined && <JsonView value={event.parts ?? 'null'} />}
        </>
      )
  }
}

/** Keys that are listed; the rest is in the raw JSON. */
const KEYS = 30

function Fields({ of, sessionId }: { of: JsonObject; sessionId: string }) {
  const entries = Object.entries(of)
  return (
    <dl class={css.fields}>
      {entries.slice(0, KEYS).map(([key, value]) => (
        <Field key={key} name={key}>
          {key === 'range' && isObject(value) ? <EventRange of={value} sessionId={sessionId} /> : <Value of={value} />}
        </Field>
      ))}
      {entries.length > KEYS && <Field name="…">{entries.length - KEYS} more are in the raw JSON</Field>}
    </dl>
  )
}

/** A name and its value in a list of fields. */
export function Field({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
  return (
    <>
      <dt dir="auto">{typeof name === 'string' ? oneLine(name, 80) : name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Value({ of }: { of: Json }) {
  if (Array.isArray(of) && of.every(isShort)) return <ShortList list={of} />
  if (typeof of === 'object' && of !== null) return <JsonView value={of} />
  const text = String(of)
  return text.length > 300 || text.includes('\n') ? <Clamp text={text} /> : <span dir="auto">{visible(text)}</span>
}

const isShort = (item: Json) => typeof item !== 'object' || (isObject(item) && Object.keys(item).length <= 3)

/** A list of short values. */
function ShortList({ list }: { list: readonly Json[] }) {
  if (list.length === 0) return <span class="muted">none</span>
  return (
    <ul class={css.list}>
      {list.slice(0, LISTED).map((item, index) => (
        <li key={index} dir="auto">
          {visible(shortText(item, 400))}
        </li>
      ))}
      {list.length > LISTED && <li class="muted">{list.length - LISTED} more are in the raw JSON</li>}
    </ul>
  )
}

/** The events that a commit or a summary covers. */
function EventRange({ of: { from, to }, sessionId }: { of: JsonObject; sessionId: string }) {
  if (typeof from !== 'number' || typeof to !== 'number') return null
  return (
    <>
      <a href={eventHref(sessionId, from)}>#{from}</a> to <a href={eventHref(sessionId, to)}>#{to}</a>
    </>
  )
}

function NamedJson({ name, value }: { name: string; value: JsonObject }) {
  return (
    <dl class={css.fields}>
      <Field name={name}>
        <JsonView value={value} />
      </Field>
    </dl>
  )
}

function Observations({ event }: { event: SessionEvent }) {
  const all = observationsIn(event)
  if (all.length === 0) return <p class="muted">No observations.</p>
  return (
    <>
      <ul class={css.list}>
        {all.slice(0, LISTED).map((observed, index) => (
          <li key={index} dir="auto">
            {visible(describeObservation(observed))}
            {typeof observed['output'] === 'string' && observed['output'] !== '' && <Clamp text={observed['output']} />}
          </li>
        ))}
      </ul>
      {all.length > LISTED && <p class="muted small">{all.length - LISTED} more are in the raw JSON.</p>}
      <p class="small">
        <a href={sessionHref(event.sessionId, 'work')}>All work of the session</a>
      </p>
    </>
  )
}
