import type { Session, Throughline } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'

/** Fewest characters that stand for an id. */
const LEAST = 8
const WHOLE = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * The session with this id, or the one of the last 500 whose id begins or ends with it: ids of one minute begin alike. Throws
 * `SESSION_NOT_FOUND` if there is none.
 */
export async function sessionNamed({ sessions }: Throughline, name: string): Promise<Session> {
  const isPart = name.length >= LEAST && /^[\da-f-]+$/i.test(name) && !WHOLE.test(name)
  if (!isPart) return await sessions.get(name)
  const part = name.toLowerCase()
  const { items } = await sessions.list({ limit: LIMITS.page })
  const fitting = items.filter(({ id }) => id.startsWith(part) || id.endsWith(part))
  if (fitting.length > 1) {
    const several = fitting.slice(0, 3).map(({ id }) => id)
    throw new ValidationError('session', `fits ${fitting.length} sessions, such as ${several.join(', ')}`)
  }
  return await sessions.get(fitting[0]?.id ?? name)
}
