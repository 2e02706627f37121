import { Button } from '../../parts/button.tsx'
import { Clamp } from '../../parts/clamp.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { ProblemNote } from '../../parts/notes.tsx'
import { Ago } from '../../parts/time.tsx'
import { oneLine } from '../../parts/visible.ts'
import type { SessionData } from '../../session/session-data.ts'
import css from './resolved-requests.module.css'
import { useRequests } from './use-requests.ts'

/** The resolved requests of a session, each with its value. Nothing if there are none. */
export function ResolvedRequests({ data }: { data: SessionData }) {
  const { list } = useRequests(data, 'resolved')
  const resolved = list.items.value
  const problem = list.problem.value
  if (resolved.length === 0 && problem === undefined) return null
  return (
    <section class="card stack" aria-labelledby="resolved-requests">
      <h2 id="resolved-requests">Resolved requests</h2>
      <ProblemNote problem={problem} onRetry={() => void list.reload()} />
      <ul class={css.list}>
        {resolved.map(({ id, kind, question, value = null, resolvedAt }) => (
          <li key={id}>
            <p class="row">
              <strong class="wrap">{oneLine(kind, 100)}</strong>
              <code class="wrap">{oneLine(id, 100)}</code>
              {resolvedAt !== undefined && (
                <span class="muted small">
                  <Ago at={resolvedAt} />
                </span>
              )}
            </p>
            <Clamp text={question} most={300} class="verbatim" />
            <JsonView value={value} most={1000} />
          </li>
        ))}
      </ul>
      {list.hasMore.value && resolved.length > 0 && (
        <Button look="small" text="Show more" onClick={() => void list.more()} />
      )}
    </section>
  )
}
