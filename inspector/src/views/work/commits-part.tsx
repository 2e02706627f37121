import { useEffect, useState } from 'preact/hooks'
import { get } from '../../api/client.ts'
import type { Commit, Json, JsonObject, Page, SessionRecord } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { oneLine } from '../../parts/visible.ts'
import { query, setQuery } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'
import { CommitCard } from './commit-card.tsx'

const TYPES = ['session_compacted'] as const
/** Commits per page. */
const PAGE_SIZE = 20

/** The conversation's commits, oldest first. */
export function CommitsPart({ data }: { data: SessionData }) {
  const record = data.record.value
  const own = useEvents(data, TYPES, 1)
  if (own.isLoading || record === undefined) return <Loading />
  const position = readPosition(own.events.at(-1)?.parts)
  return (
    <div class="stack">
      <ProblemNote problem={own.problem} />
      {position === undefined && own.problem === undefined && <NoOwnCommit record={record} />}
      <CommitChain record={record} own={position} />
    </div>
  )
}

/** Starts the page so that this commit is in its middle. */
const pageStartAround = (position = 0) => Math.max(0, position - PAGE_SIZE / 2)

function parsePosition(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

function readPosition(parts: Json | undefined): number | undefined {
  if (typeof parts !== 'object' || parts === null || Array.isArray(parts)) return undefined
  const { position } = parts as JsonObject
  return typeof position === 'number' && Number.isInteger(position) && position > 0 ? position : undefined
}

/** Says how this session gets its commit. */
function NoOwnCommit({ record: { endedAt } }: { record: SessionRecord }) {
  if (endedAt === undefined) return <p class="note">This session is still open. Its commit is created when it ends.</p>
  return (
    <p class="note">
      This session ended without a commit. Create one with “Compact” above, <code>session.compact()</code> or{' '}
      <code>throughline compact</code>. Compacting deletes nothing.
    </p>
  )
}

function CommitChain({ record, own }: { record: SessionRecord; own: number | undefined }) {
  const { conversationId, tenant } = record
  const named = parsePosition(query.value.get('commit'))
  const [after, setAfter] = useState(() => pageStartAround(named ?? own))
  const show = (position: number | undefined) => {
    if (position !== undefined && (position <= after || position > after + PAGE_SIZE))
      setAfter(pageStartAround(position))
  }
  useEffect(() => show(named), [named])
  useEffect(() => show(named ?? own), [own])
  // not filtered by user: purged commits have none, and the server returns only what the caller may see
  const page = useRequest(
    (signal) =>
      get<Page<Commit>>(
        `/conversations/${encodeURIComponent(conversationId)}/commits`,
        { tenant, limit: PAGE_SIZE, cursor: after > 0 ? String(after) : undefined },
        signal,
      ),
    [conversationId, tenant, after, own],
  )
  const { items = [], nextCursor } = page.value ?? {}
  const goTo = (position: number) => {
    setQuery({ commit: undefined })
    setAfter(Math.max(0, position))
  }
  return (
    <section class="stack" aria-label="Commits of the conversation">
      <div class="row between">
        <h2>Commits of the conversation</h2>
        <Button look="small" text="Refresh" onClick={page.reload} />
      </div>
      <ProblemNote problem={page.problem} onRetry={page.reload} />
      {page.value === undefined && page.isLoading && <Loading />}
      {page.value !== undefined && items.length === 0 && after === 0 && <NoCommits />}
      {items.length > 0 && (
        <ol start={items[0]?.position}>
          {items.map((commit, index) => (
            <CommitCard
              key={commit.id}
              commit={commit}
              currentSession={record.id}
              isNamed={commit.position === named}
              missing={countMissingBefore(items, index)}
            />
          ))}
        </ol>
      )}
      <div class="row">
        {after > 0 && <Button text="Older" onClick={() => goTo(after - PAGE_SIZE)} />}
        {nextCursor !== undefined && <Button text="Newer" onClick={() => goTo(items.at(-1)?.position ?? 0)} />}
      </div>
      <p class="muted small">
        Conversation <code>{oneLine(conversationId, 80)}</code>, oldest commit first.
      </p>
    </section>
  )
}

/** Counts the hidden commits between a commit and the one above it. */
function countMissingBefore(items: readonly Commit[], index: number): number {
  const [above, commit] = [items[index - 1], items[index]]
  return above === undefined || commit === undefined ? 0 : Math.max(0, commit.position - above.position - 1)
}

function NoCommits() {
  return (
    <Empty title="This conversation has no commits yet.">
      <p>
        Each session leaves one when it ends, with its task, decisions, files and commands. The next session of the
        conversation starts with it.
      </p>
    </Empty>
  )
}
