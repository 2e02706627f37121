import type { SessionData } from '../../session/session-data.ts'

export function ActBar({ data }: { data: SessionData }) {
  return <p>{data.id}</p>
}
