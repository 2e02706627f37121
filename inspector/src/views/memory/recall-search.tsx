import { Button } from '../../parts/button.tsx'
import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { query } from '../../route.ts'
import { RECALL_LIMIT, recall, type User } from './memory-api.ts'
import { RecallResults } from './recall-results.tsx'

interface Props {
  readonly user: User
  readonly hrefOf: (id: string) => string
  readonly round: number
}

/** Searches the messages, summaries and memories of a user. */
export function RecallSearch({ user: { userId, tenant }, hrefOf, round }: Props) {
  const words = (query.value.get('q') ?? '').trim()
  const { value, problem, isLoading, reload } = useRequest(
    words === '' ? undefined : (signal) => recall({ userId, tenant }, words, signal),
    [userId, tenant, words, round],
  )
  if (words === '') {
    return (
      <Empty title="What are you looking for?">
        <p>
          Enter a question or a few words to search the messages, summaries and memories of all the user's sessions.
        </p>
      </Empty>
    )
  }
  return (
    <>
      <ProblemNote problem={problem} onRetry={reload} />
      {value === undefined && isLoading && <Loading what="Searching" />}
      {value?.pending !== undefined && (
        <div class="note row">
          <span>
            The index is behind: {value.pending.toLocaleString('en')}{' '}
            {value.pending === 1 ? 'session is' : 'sessions are'} not fully indexed yet. Indexing continues in the
            background.
          </span>
          <Button look="small" text="Refresh" onClick={reload} />
        </div>
      )}
      {value?.items.length === 0 && (
        <Empty title="No matches.">
          <p>Recall matches words. It does not search tool calls and their results.</p>
        </Empty>
      )}
      {value !== undefined && value.items.length > 0 && (
        <>
          <p class="muted small" role="status">
            {value.items.length === RECALL_LIMIT ? `The best ${RECALL_LIMIT}` : `${value.items.length} found`}, best
            first, {value.tokens.toLocaleString('en')} tokens in total
          </p>
          <RecallResults items={value.items} hrefOf={hrefOf} label="Found" />
        </>
      )}
    </>
  )
}
