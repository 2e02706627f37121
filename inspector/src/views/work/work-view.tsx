import type { SessionData } from '../../session/session-data.ts'

export function WorkView({ data }: { data: SessionData }) {
  return <p>{data.id}</p>
}
