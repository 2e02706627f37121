import type { SessionData } from '../../session/session-data.ts'

export function AgentsView({ data }: { data: SessionData }) {
  return <p>{data.id}</p>
}
