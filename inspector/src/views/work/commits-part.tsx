import { useEffect, useState } from 'preact/hooks'
import { get } from '../../api/client.ts'
import type { Commit, Json, JsonObject, Page, SessionRecord } from '../../api/types.ts'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { oneLine } from '../../parts/visible.ts'
import { query, setQuery } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { useEvents } from '../../session/use-events.ts'
import { CommitCard } from './commit-card.tsx'

const TYPES = ['session_compacted'] as const
/** Commits on one page. */
const PAGE_SIZE = 20

/** The chain of the conversation's commits, oldest first. */
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

/** Where a page begins that has this commit in its middle, so that the way to it is seen. */
const pageStartAround = (position = 0) => Math.max(0, position - PAGE_SIZE / 2)

function parsePosition(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

function readPosition(parts: Json | undefined): number | undefined {
  if (typeof parts !== 'object' || parts === null || Array.isArray(parts)) return undefined
  const { position } = parts as JsonObject
  return typeof position === 'number' && Number.isInteger(position) && position > 0 ? position : undefined
}

/** How this session comes to its commit. */
function NoOwnCommit({ record: { endedAt } }: { record: SessionRecord }) {
  if (endedAt === undefined)
    return <p class="note">This session is not over: its commit is made when it ends, of all that was done in it.</p>
  return (
    <p class="note">
      This session ended without a commit. “Compact” above makes it, and so do <code>session.compact()</code> and{' '}
      <code>throughline compact</code>; nothing is deleted by it.
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
  // not by user: purged ones belong to nobody, and the server gives to each caller what is theirs
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
        <button type="button" class="button small" onClick={page.reload}>
          Look again
        </button>
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
              here={record.id}
              isNamed={commit.position === named}
              missing={countMissingBefore(items, index)}
            />
          ))}
        </ol>
      )}
      <div class="row">
        {after > 0 && (
          <button type="button" class="button" onClick={() => goTo(after - PAGE_SIZE)}>
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
        The chain of conversation <code>{oneLine(conversationId, 80)}</code>, oldest first.
      </p>
    </section>
  )
}

/** How many places in the chain are left out between a commit and the one above it. */
function countMissingBefore(items: readonly Commit[], index: number): number {
  const [above, here] = [items[index - 1], items[index]]
  return above === undefined || here === undefined ? 0 : Math.max(0, here.position - above.position - 1)
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
