import { createHash } from 'node:crypto'
import type { Session } from '../src/index.ts'

/**
 * The hash of a commit, made from what callers can read: SHA-256 over one line of JSON for each event of the range,
 * `[sequence, type, role, content, parts, agentId, occurredAt, createdAt]`, with the parts as JSON text, `null` for
 * what an event does not have, and a line feed behind each.
 */
export async function commitHash(session: Session, { from, to }: { from: number; to: number }): Promise<string> {
  const digest = createHash('sha256')
  for (let after = from - 1; after < to; ) {
    const page = await session.events({ after, before: to + 1, limit: 500 })
    if (page.length === 0) throw new Error(`no event behind ${after}`)
    for (const { sequence, type, role, content, parts, agentId, occurredAt, createdAt } of page) {
      const text = parts === undefined ? null : JSON.stringify(parts)
      digest.update(JSON.stringify([sequence, type, role, content, text, agentId, occurredAt, createdAt]))
      digest.update('\n')
      after = sequence
    }
  }
  return digest.digest('hex')
}
