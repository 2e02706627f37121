import type { Session, Throughline } from '../../api.ts'
import { SessionNotFoundError, ValidationError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { listAll } from '../list-all.ts'

const MIN_PART_LENGTH = 8
const FULL_ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Finds a session by its id, or by the start or end of its id among the tenant's 500 most recent ones: ids created in
 * the same minute start alike. Throws `SESSION_NOT_FOUND` if there is none.
 */
export async function findSession(
  { sessions, principal }: Throughline,
  name: string,
  tenant: string | undefined,
): Promise<Session> {
  const isPart = name.length >= MIN_PART_LENGTH && /^[\da-f-]+$/i.test(name) && !FULL_ID.test(name)
  if (!isPart) return await sessions.get(name)
  const part = name.toLowerCase()
  const matches: string[] = []
  let seen = 0
  for await (const { id } of listAll((page) => sessions.list({ ...defined({ tenant }), ...page }))) {
    if (id.startsWith(part) || id.endsWith(part)) matches.push(id)
    seen += 1
    if (seen === LIMITS.page) break
  }
  if (matches.length > 1) {
    const examples = matches.slice(0, 3)
    throw new ValidationError(
      'session',
      `matches ${matches.length} sessions, such as ${examples.join(', ')}; pass more of the id`,
    )
  }
  const [found] = matches
  if (found === undefined) throw noMatch(name, tenant ?? principal?.tenant ?? 'local')
  return await sessions.get(found)
}

/** The session may exist among older ones, so the message does not claim it is missing. */
function noMatch(part: string, tenant: string): SessionNotFoundError {
  const error = new SessionNotFoundError(part)
  error.message = `no id of the ${LIMITS.page} most recent sessions of tenant ${tenant} starts or ends with ${part}; pass the whole id, or another --tenant`
  return error
}
