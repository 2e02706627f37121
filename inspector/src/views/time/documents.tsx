import type { Json, Snapshot } from '../../api/types.ts'
import { ProblemNote } from '../../parts/notes.tsx'
import { formatTime } from '../../parts/time.tsx'
import { useRequest } from '../../parts/use-request.ts'
import { eventHref } from '../../route.ts'
import type { SessionData } from '../../session/session-data.ts'
import { type ChangeKind, type LoadedChanges, lastChange } from './changes.ts'
import { DocumentCard } from './document-card.tsx'
import { findLastChange } from './find-change.ts'
import type { Moment, SnapshotLoader } from './snapshot-loader.ts'

interface Props {
  readonly data: SessionData
  readonly moments: SnapshotLoader
  readonly moment: Moment
  readonly known: LoadedChanges
  /** Whether the changes are loaded. */
  readonly isRead: boolean
  /** The moment to compare with. */
  readonly pinned: number | undefined
  /** The session at that moment, once loaded. */
  readonly other: Snapshot | undefined
}

/** Scratchpad and envelope at this moment, with their changes. */
export function Documents(props: Props) {
  const { state, envelope } = props.moment.snapshot
  return (
    <>
      <Document
        {...props}
        kind="scratchpad"
        name="Scratchpad"
        of={({ state: { scratchpad } }) => scratchpad}
        aside={`version ${state.version}`}
      />
      <Document
        {...props}
        kind="envelope"
        name="Envelope"
        of={(snapshot) => snapshot.envelope as unknown as Json}
        aside={`updated ${formatTime(envelope.timestamps.updated_at)}`}
      />
    </>
  )
}

interface DocumentProps extends Props {
  readonly kind: ChangeKind
  readonly name: string
  readonly of: (snapshot: Snapshot) => Json
  readonly aside: string
}

function Document({ data, moments, moment, known, isRead, pinned, other, kind, name, of, aside }: DocumentProps) {
  const { snapshot } = moment
  const isDisabled = pinned !== undefined || !isRead
  const change = useLastChange({ data, moments, known, kind, sequence: snapshot.sequence, isDisabled })
  const old = pinned === undefined ? change.value?.before : other
  return (
    <>
      <ProblemNote problem={change.problem} onRetry={change.reload} />
      <DocumentCard
        name={name}
        aside={aside}
        value={of(snapshot)}
        old={old && of(old)}
        source={
          pinned === undefined ? (
            <ChangeSource id={data.id} change={change} />
          ) : (
            `Changes from event #${pinned.toLocaleString('en')} to event #${snapshot.sequence.toLocaleString('en')}`
          )
        }
      />
    </>
  )
}

/** The last change of a document, and the session before it. */
interface LastChange {
  readonly sequence: number
  /** Identifies the request. */
  readonly key: string
  /** Absent for the first event. */
  readonly before: Snapshot | undefined
}

function ChangeSource({ id, change }: { id: string; change: ReturnType<typeof useLastChange> }) {
  const { value, isLoading } = change
  if (value === undefined)
    return <span class="muted">{isLoading ? 'Finding the last change …' : 'Not changed yet.'}</span>
  const link = <a href={eventHref(id, value.sequence)}>event #{value.sequence.toLocaleString('en')}</a>
  return value.before === undefined ? <>Set when the session started, {link}</> : <>Changed by {link}</>
}

interface LastChangeQuery {
  readonly data: SessionData
  readonly moments: SnapshotLoader
  readonly known: LoadedChanges
  readonly kind: ChangeKind
  readonly sequence: number
  readonly isDisabled: boolean
}

function useLastChange({ data, moments, known, kind, sequence, isDisabled }: LastChangeQuery) {
  const near = lastChange(known, sequence, kind)
  // a known change stays the last one until the next change, so moments in between cause no request
  const key = near === 'unknown' ? `up to ${sequence}` : `${near}`
  const find = async (signal: AbortSignal): Promise<LastChange | undefined> => {
    const found = near === 'unknown' ? await findLastChange(data.id, sequence, kind, signal) : near
    if (found === undefined) return undefined
    const before = found <= 1 ? undefined : await moments.snapshot(found - 1, signal)
    return { sequence: found, key, before }
  }
  const request = useRequest(isDisabled ? undefined : find, [key, isDisabled])
  // the previous response belongs to another change
  const value = request.value?.key === key ? request.value : undefined
  return { ...request, value }
}
