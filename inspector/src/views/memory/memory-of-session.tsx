import type { SessionData } from '../../session/session-data.ts'

export function MemoryOfSession({ data }: { data: SessionData }) {
  return <p>{data.id}</p>
}
