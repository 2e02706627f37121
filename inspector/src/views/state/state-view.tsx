import type { SessionData } from '../../session/session-data.ts'

export function StateView({ data }: { data: SessionData }) {
  return <p>{data.id}</p>
}
