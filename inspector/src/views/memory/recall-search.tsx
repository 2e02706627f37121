import { Empty, Loading, ProblemNote } from '../../parts/notes.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { query } from '../../route.ts'
import { RECALL_LIMIT, recall, type User } from './memory-api.ts'
import { RecallResults } from './recall-results.tsx'

/** Everything said to a user or by them that fits the words of the address: messages, summaries, memories. */
export function RecallSearch({
  user: { userId, tenant },
  hrefOf,
  round,
}: {
  user: User
  hrefOf: (id: string) => string
  round: number
}) {
  const words = (query.value.get('q') ?? '').trim()
  const { value, problem, isLoading, reload } = useRequest(
    words === '' ? undefined : (signal) => recall({ userId, tenant }, words, signal),
    [userId, tenant, words, round],
  )
  if (words === '') {
    return (
      <Empty title="Where was that said?">
        <p>
          Type a question or a few words: messages, summaries and memories of all sessions of the user are looked at.
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
            {value.pending === 1 ? 'session was' : 'sessions were'} not read to the end. The rest follows in the
            background.
          </span>
          <button type="button" class="button small" onClick={reload}>
            Look again
          </button>
        </div>
      )}
      {value?.items.length === 0 && (
        <Empty title="Nothing that was said fits.">
          <p>A recall goes by words. Tool calls and their results are not looked at.</p>
        </Empty>
      )}
      {value !== undefined && value.items.length > 0 && (
        <>
          <p class="muted small" role="status">
            {value.items.length === RECALL_LIMIT ? `The best ${RECALL_LIMIT}` : `${value.items.length} found`}, best
            first, {value.tokens.toLocaleString('en')} tokens together
          </p>
          <RecallResults items={value.items} hrefOf={hrefOf} label="Found" />
        </>
      )}
    </>
  )
}
