import { useEffect, useState } from 'preact/hooks'
import { useServerInfo } from '../../api/server-info.ts'
import type { RecallItem, SessionRecord } from '../../api/types.ts'
import { countOf } from '../../parts/amounts.ts'
import { Clamp } from '../../parts/clamp.tsx'
import { foldText } from '../../parts/fold-text.ts'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { Select } from '../../parts/select.tsx'
import { Ago } from '../../parts/time.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { oneLine } from '../../parts/visible.ts'
import { query, sessionHref, setQuery } from '../../route.ts'
import { recallMessages } from '../memory/memory-api.ts'
import { useUsers } from '../memory/use-users.ts'
import { hitsBySession, type SessionHits } from './group-hits.ts'
import css from './message-search.module.css'

/** Users that are searched at once: each is a search of its own. */
const USERS = 20
/** Milliseconds without a keystroke after which the search is sent. */
const REST = 300

interface Props {
  readonly text: string
  /** The user and tenant of the filters, if any. */
  readonly user: string | undefined
  readonly tenant: string | undefined
  /** A listed session. */
  readonly recordOf: (id: string) => SessionRecord | undefined
}

/** Messages and summaries of all sessions that contain the words, by session. */
export function MessageSearch({ text, user, tenant, recordOf }: Props) {
  const words = useRested(text.trim())
  const own = useServerInfo()?.principal?.userId
  const { users, problem: usersProblem, reload: reloadUsers } = useUsers(tenant)
  const chosen = user ?? own
  const searched = chosen !== undefined ? [chosen] : users.users?.slice(0, USERS)
  const { value, problem, isLoading, reload } = useRequest(
    words === '' || searched === undefined
      ? undefined
      : async (signal) => {
          const results = []
          // one by one: a search may take a while on the server
          for (const userId of searched) results.push(await recallMessages({ userId, tenant }, words, signal))
          const pending = results.reduce((sum, result) => sum + (result.pending ?? 0), 0)
          return { words, groups: hitsBySession(results.map(({ items }) => items)), pending }
        },
    [words, tenant, searched?.join('\n')],
  )
  const count = value?.groups.reduce((sum, { items }) => sum + items.length, 0) ?? 0
  return (
    <section class={css.found} aria-label="Messages found">
      <div class="row between">
        <p class="muted small" role="status">
          {value !== undefined &&
            `${countOf(count, 'message')} in ${countOf(value.groups.length, 'session')}, best first`}
          {value !== undefined && value.pending > 0 && `; ${countOf(value.pending, 'session')} not fully indexed yet`}
        </p>
        {own === undefined && users.users !== undefined && (
          <Select
            label="Of user"
            value={user ?? ''}
            options={[
              ['', users.users.length > USERS ? `The ${USERS} latest users` : 'All users'],
              ...[...new Set([...(user === undefined ? [] : [user]), ...users.users])].map(
                (name) => [name, oneLine(name, 60)] as const,
              ),
            ]}
            onChange={(name) => setQuery({ user: name })}
          />
        )}
      </div>
      <ProblemNote problem={problem ?? usersProblem} onRetry={problem === undefined ? reloadUsers : reload} />
      {isLoading && value?.words !== words && <Loading what="Searching" />}
      {value !== undefined && count === 0 && !isLoading && (
        <Empty title="No messages match your search.">
          <p>This search matches words in messages and summaries. Calls and results are searched within a session.</p>
        </Empty>
      )}
      {value?.groups.map((group) => (
        <Hits key={group.sessionId} group={group} words={value.words} record={recordOf(group.sessionId)} />
      ))}
    </section>
  )
}

/** Results of one session that are shown. */
const SHOWN = 5

function Hits({ group, words, record }: { group: SessionHits; words: string; record: SessionRecord | undefined }) {
  const { sessionId, items } = group
  return (
    <article class="card stack-2">
      <h2 class={css.session}>
        <a href={sessionHref(sessionId)} dir="auto">
          {record?.task === undefined ? `Session ${sessionId.slice(0, 8)}` : oneLine(record.task, 100)}
        </a>{' '}
        <span class="muted small">
          {record !== undefined && `${oneLine(record.userId, 60)} · `}
          {countOf(items.length, 'message')}
        </span>
      </h2>
      <ol class="rows">
        {items.slice(0, SHOWN).map((item) => (
          <li key={item.id} class={css.hit}>
            <div class="row small muted">
              <a href={linkTo(item, words)}>event {item.sequence}</a>
              <span>{item.kind === 'commit' ? 'summary' : oneLine(item.agentId ?? item.role ?? '', 60)}</span>
              <Ago at={item.at} />
            </div>
            <Clamp text={item.content.trim()} most={300} class="verbatim small" />
          </li>
        ))}
      </ol>
      {items.length > SHOWN && (
        <a class="small" href={sessionHref(sessionId, 'timeline', { find: words })}>
          Search this session for all
        </a>
      )}
    </article>
  )
}

/** The event, with the words highlighted if they stand there as they were typed. */
function linkTo({ sessionId = '', sequence, content }: RecallItem, words: string): string {
  const find = foldText(content).includes(foldText(words)) ? words : undefined
  return sessionHref(sessionId, 'timeline', { event: sequence, find })
}

/** Whether the search is for messages instead of sessions. */
export const isMessageSearch = () => query.value.get('in') === 'messages'

/** The text once nobody has typed for a moment. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
