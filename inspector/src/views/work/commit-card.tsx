import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Commit } from '../../api/types.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { useShowMore } from '../../parts/show-more.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine, visible } from '../../parts/visible.ts'
import { eventHref, sessionHref } from '../../route.ts'
import css from './commit-card.module.css'
import { ExitCode } from './exit-code.tsx'
import { formatBytes, PathCode, partHref, ShortHash, TruncatedText } from './links.tsx'

const KIND_TEXTS: Readonly<Record<string, string>> = {
  normal: 'Task completed',
  abandoned: 'Task abandoned',
  stale: 'Ended without further activity',
  interrupted: 'Replaced by another task',
}

/** Longest summary rendered as Markdown; a longer one is shown as plain text. */
const MAX_RENDERED_LENGTH = 20_000

interface Props {
  readonly commit: Commit
  /** The session on display. */
  readonly currentSession: string
  /** Whether the address names this commit. */
  readonly isNamed: boolean
  /** Hidden commits between the one above and this one. */
  readonly missing: number
}

/** One commit in the chain. */
export function CommitCard({ commit, currentSession, isNamed, missing }: Props) {
  const { position, kind, task, summary, sessionId, at, purgedAt } = commit
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isNamed) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isNamed])
  const isOwn = sessionId === currentSession
  return (
    <li class={css.commit} ref={item} data-own={isOwn} data-named={isNamed}>
      {missing > 0 && (
        <p class={`${css.missing} muted small`}>
          {missing === 1 ? '1 earlier commit is' : `${missing} earlier commits are`} hidden: purged, or owned by another
          user.
        </p>
      )}
      <article class="card stack" aria-label={`Commit ${position}`}>
        <div class="facts">
          <span class="mono muted">{position}</span>
          <h3 dir="auto" class="wrap">
            {purgedAt !== undefined ? 'Purged' : task === undefined ? 'No task' : oneLine(task, 200)}
          </h3>
          {purgedAt === undefined && (
            <span class="badge" data-kind={kind} title={KIND_TEXTS[kind]}>
              {oneLine(kind, 40)}
            </span>
          )}
          {isOwn && (
            <span class="badge" data-kind="own">
              this session
            </span>
          )}
          <span class="muted small">
            <Ago at={at} />
          </span>
        </div>
        {purgedAt === undefined ? (
          <>
            {summary.length > MAX_RENDERED_LENGTH ? <Clamp text={summary} /> : <Markdown text={summary} />}
            <SummarySource commit={commit} />
            <Lists commit={commit} />
          </>
        ) : (
          <p class="muted">
            The session was purged <Ago at={purgedAt} />. Only its position in the chain remains.
          </p>
        )}
        <Origin commit={commit} currentSession={currentSession} isLinked={missing === 0} />
      </article>
    </li>
  )
}

const SOURCE_TEXTS: Readonly<Record<string, string>> = {
  caller: 'Summary provided by the caller.',
  model: 'Summary written by a model.',
  extractive: 'Summary extracted from the log.',
}

function SummarySource({ commit: { summarizedBy, fallback } }: { commit: Commit }) {
  const by = SOURCE_TEXTS[summarizedBy ?? '']
  if (by === undefined) return null
  return (
    <p class="muted small">
      {by} {fallback !== undefined && <>Used as a fallback: {oneLine(fallback, 300)}</>}
    </p>
  )
}

function Lists({ commit: { decisions, filesWritten, filesRead, commands, openQuestions } }: { commit: Commit }) {
  return (
    <dl class="columns even">
      <List name="Open questions" items={openQuestions} render={(text) => <span dir="auto">{visible(text)}</span>} />
      <List name="Decisions" items={decisions} render={(text) => <span dir="auto">{visible(text)}</span>} />
      <List
        name="Files written"
        items={filesWritten}
        render={({ path, bytes, hash }) => (
          <>
            <PathCode path={path} max={80} />{' '}
            <span class="muted small">
              {bytes !== undefined && formatBytes(bytes)} {hash !== undefined && <ShortHash hash={hash} />}
            </span>
          </>
        )}
      />
      <List name="Files read" items={filesRead} render={(path) => <PathCode path={path} max={80} />} />
      <List
        name="Commands"
        items={commands}
        render={({ command, exitCode }) => (
          <>
            <code dir="auto">{oneLine(command, 300)}</code> <ExitCode exitCode={exitCode} />
          </>
        )}
      />
    </dl>
  )
}

interface ListProps<T> {
  readonly name: string
  readonly items: readonly T[]
  readonly render: (item: T) => ComponentChildren
}

function List<T>({ name, items, render }: ListProps<T>) {
  const { shown, more } = useShowMore(items, 8)
  if (items.length === 0) return null
  return (
    <div>
      <dt class="small">
        {name} <span class="muted">{items.length.toLocaleString('en')}</span>
      </dt>
      <dd>
        <ul class={`small ${css.items}`}>
          {shown.map((item) => (
            <li key={JSON.stringify(item)}>{render(item)}</li>
          ))}
        </ul>
        {more}
      </dd>
    </div>
  )
}

/** The events it covers, their session, and the commit it follows. */
function Origin({ commit, currentSession, isLinked }: { commit: Commit; currentSession: string; isLinked: boolean }) {
  const { range, hash, sessionId, parent, position, purgedAt } = commit
  return (
    <p class="facts muted small">
      {range !== undefined && (
        <span>
          covers events <a href={eventHref(sessionId, range.from)}>{range.from}</a>–
          <a href={eventHref(sessionId, range.to)}>{range.to}</a> of{' '}
          {sessionId === currentSession ? 'this session' : <SessionLink id={sessionId} />}
        </span>
      )}
      {range === undefined && (
        <span>session {purgedAt === undefined ? <SessionLink id={sessionId} /> : <code>{sessionId}</code>}</span>
      )}
      {hash !== undefined && (
        <span>
          SHA-256 <ShortHash hash={hash} /> <CopyButton text={hash} label={`Copy the hash of commit ${position}`} />
        </span>
      )}
      {parent === undefined ? (
        position === 1 && <span>first in the chain</span>
      ) : (
        <span>
          follows{' '}
          {isLinked ? (
            <a href={partHref(currentSession, 'commits', { commit: position - 1 })}>commit {position - 1}</a>
          ) : (
            `commit ${position - 1}`
          )}
        </span>
      )}
    </p>
  )
}

function SessionLink({ id }: { id: string }) {
  return (
    <a class="mono" href={sessionHref(id, 'work')}>
      <TruncatedText text={id} max={20} />
    </a>
  )
}
