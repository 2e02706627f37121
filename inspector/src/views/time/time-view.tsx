import type { SessionData } from '../../session/session-data.ts'

export function TimeView({ data }: { data: SessionData }) {
  return <p>{data.id}</p>
}
