import type { SessionData } from '../../session/session-data.ts'

export function ContextView({ data }: { data: SessionData }) {
  return <p>{data.id}</p>
}
