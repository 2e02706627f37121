import type { Session, Throughline } from '../../api.ts'
import { SessionNotFoundError, ValidationError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { given } from '../option-schemas.ts'

/** Fewest characters that stand for an id. */
const MIN_PART_LENGTH = 8
const FULL_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The option of commands that take a part of an id. */
export const partialIdTenantOption = {
  flags: '--tenant <id>',
  description: 'where a part of an id is looked for (default: "local")',
}

/**
 * The session with this id, or the one of the tenant's last 500 whose id begins or ends with it: ids of one minute begin alike. Throws
 * `SESSION_NOT_FOUND` if there is none.
 */
export async function findSession(
  { sessions, principal }: Throughline,
  name: string,
  tenant: string | undefined,
): Promise<Session> {
  const isPart = name.length >= MIN_PART_LENGTH && /^[\da-f-]+$/i.test(name) && !FULL_ID.test(name)
  if (!isPart) return await sessions.get(name)
  const part = name.toLowerCase()
  const { items } = await sessions.list({ ...given({ tenant }), limit: LIMITS.page })
  const fitting = items.filter(({ id }) => id.startsWith(part) || id.endsWith(part))
  if (fitting.length > 1) {
    const several = fitting.slice(0, 3).map(({ id }) => id)
    throw new ValidationError('session', `fits ${fitting.length} sessions, such as ${several.join(', ')}`)
  }
  const [found] = fitting
  if (found === undefined) throw noMatch(name, tenant ?? principal?.tenant ?? 'local')
  return await sessions.get(found.id)
}

/** It may be there all the same, so it is not said to be absent. */
function noMatch(part: string, tenant: string): SessionNotFoundError {
  const error = new SessionNotFoundError(part)
  const where = `the last ${LIMITS.page} sessions of tenant ${tenant}`
  error.message = `none of ${where} begins or ends with ${part}; give the whole id, or another --tenant`
  return error
}
