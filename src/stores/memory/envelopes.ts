import type { SessionView } from '../../domain/fold.ts'
import { cloneJson } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { dueAt } from '../../domain/run.ts'
import type { EnvelopeFilter, EnvelopeRow, EnvelopeStore } from '../../ports/envelope-store.ts'
import type { MemoryData, StoredSession } from './data.ts'

/** All views of a session, with the envelope if the stored one is current. */
export function loadView({ view, envelope }: StoredSession): SessionView {
  return cloneJson(envelope?.at === view.envelopeAt ? { ...view, envelope: envelope.view } : view)
}

/** Replaces the views, and the separately stored envelope if it is new. */
export function replaceView(session: StoredSession, { envelope, ...view }: SessionView, always = false): void {
  const isNew = always || session.view.envelopeAt !== view.envelopeAt
  if (envelope !== undefined && isNew) session.envelope = { at: view.envelopeAt, view: cloneJson(envelope) }
  session.view = cloneJson(view)
  session.dueAt = dueAt(session.view)
}

/** The stored envelopes of all sessions. */
export function envelopeStore({ sessions }: MemoryData, assertOpen: () => void): EnvelopeStore {
  function matchingIds(which: EnvelopeFilter): string[] {
    const ids = [...sessions].filter(([, { envelope }]) => envelope !== undefined && matches(envelope.view, which))
    return ids.map(([id]) => id).sort()
  }

  return {
    async page({ after = '', limit }) {
      assertOpen()
      const ids = [...sessions.keys()].filter((id) => id > after).sort()
      return envelopeRows(sessions, ids.slice(0, limit))
    },

    async find(ids) {
      assertOpen()
      return envelopeRows(sessions, ids)
    },

    async count(which) {
      assertOpen()
      return matchingIds(which).length
    },

    async remove(which, limit) {
      assertOpen()
      const ids = matchingIds(which).slice(0, limit)
      for (const id of ids) delete sessions.get(id)?.envelope
      return ids
    },
  }
}

function matches({ document, batch }: Stored, which: EnvelopeFilter): boolean {
  return 'batch' in which ? batch === which.batch : document.timestamps.updated_at >= which.since
}

type Stored = NonNullable<StoredSession['envelope']>['view']

function envelopeRows(sessions: ReadonlyMap<string, StoredSession>, ids: readonly string[]): EnvelopeRow[] {
  return ids.flatMap((sessionId) => {
    const session = sessions.get(sessionId)
    if (session === undefined) return []
    const { envelopeAt, envelope } = loadView(session)
    return [defined({ sessionId, envelopeAt, envelope })]
  })
}
