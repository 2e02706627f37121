import { useEffect, useState } from 'preact/hooks'
import { get } from '../../api/client.ts'
import type { Commit, Json, JsonObject, Page, SessionRecord } from '../../api/types.ts'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { useAnswer } from '../../parts/use-answer.ts'
import { oneLine } from '../../parts/visible.ts'
import { query, setQuery } from '../../route.ts'
import { useEventsOf } from '../../session/events-of.ts'
import type { SessionData } from '../../session/session-data.ts'
import { CommitCard } from './commit-card.tsx'
import css from './commits-part.module.css'

const TYPES = ['session_compacted'] as const
/** Commits on one page. */
const LIMIT = 20

/** The chain of the conversation's commits, oldest first. */
export function CommitsPart({ data }: { data: SessionData }) {
  const record = data.record.value
  const own = useEventsOf(data, TYPES, 1)
  if (own.isLoading || record === undefined) return <Loading />
  const position = positionOf(own.events.at(-1)?.parts)
  return (
    <div class="stack">
      <ProblemNote problem={own.problem} />
      {position === undefined && own.problem === undefined && <WithoutCommit record={record} />}
      <Chain record={record} own={position} />
    </div>
  )
}

function positionOf(parts: Json | undefined): number | undefined {
  if (typeof parts !== 'object' || parts === null || Array.isArray(parts)) return undefined
  const { position } = parts as JsonObject
  return typeof position === 'number' && Number.isInteger(position) && position > 0 ? position : undefined
}

/** How this session comes to its commit. */
function WithoutCommit({ record: { endedAt } }: { record: SessionRecord }) {
  if (endedAt === undefined)
    return <p class="note">This session is not over: its commit is made when it ends, of all that was done in it.</p>
  return (
    <p class="note">
      This session ended without a commit. “Compact” above makes it, and so do <code>session.compact()</code> and{' '}
      <code>throughline compact</code>; nothing is deleted by it.
    </p>
  )
}

function Chain({ record, own }: { record: SessionRecord; own: number | undefined }) {
  const { conversationId, userId, tenant } = record
  const named = Number(query.value.get('commit'))
  const wanted = Number.isInteger(named) && named > 0 ? named : own
  // a page begins some places before what is looked for, so that the way to it is seen
  const [after, setAfter] = useState(() => Math.max(0, (wanted ?? 0) - LIMIT / 2))
  useEffect(() => {
    if (wanted !== undefined && (wanted <= after || wanted > after + LIMIT)) setAfter(Math.max(0, wanted - LIMIT / 2))
  }, [wanted])
  const page = useAnswer(
    (signal) =>
      get<Page<Commit>>(
        `/conversations/${encodeURIComponent(conversationId)}/commits`,
        { userId, tenant, limit: LIMIT, cursor: after > 0 ? String(after) : undefined },
        signal,
      ),
    [conversationId, userId, tenant, after, own],
  )
  const { items = [], nextCursor } = page.value ?? {}
  const goTo = (position: number) => {
    setQuery({ commit: undefined })
    setAfter(Math.max(0, position))
  }
  return (
    <section class="stack" aria-label="Commits of the conversation">
      <div class={css.head}>
        <h2>Commits of the conversation</h2>
        <button type="button" class="button small" onClick={page.again}>
          Look again
        </button>
      </div>
      <ProblemNote problem={page.problem} onRetry={page.again} />
      {page.value === undefined && page.isLoading && <Loading />}
      {page.value !== undefined && items.length === 0 && after === 0 && <NoCommits />}
      {items.length > 0 && (
        <ol class={css.chain} start={items[0]?.position}>
          {items.map((commit) => (
            <CommitCard key={commit.id} commit={commit} here={record.id} isNamed={commit.position === named} />
          ))}
        </ol>
      )}
      <div class="row">
        {after > 0 && (
          <button type="button" class="button" onClick={() => goTo(after - LIMIT)}>
            Older
          </button>
        )}
        {nextCursor !== undefined && (
          <button type="button" class="button" onClick={() => goTo(Number(nextCursor))}>
            Newer
          </button>
        )}
      </div>
      <p class="muted small">
        Conversation <code>{oneLine(conversationId, 80)}</code> of {oneLine(userId, 80)}.
      </p>
    </section>
  )
}

function NoCommits() {
  return (
    <Empty title="This conversation has no commits yet.">
      <p>
        A session that ends leaves one: what it was about, what was decided, and which files and commands there were.
        The next session of the conversation is told of it.
      </p>
    </Empty>
  )
}
