import type { SessionData } from '../../session/session-data.ts'

export function TimelineView({ data }: { data: SessionData }) {
  return <p>{data.id}</p>
}
