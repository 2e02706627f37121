import type { CallToolResult } from '@modelcontextprotocol/server'
import { ERROR_CODES, type ErrorCode } from '../domain/errors.ts'

/** What a model can do about each error. A Record over the union: a new code without a hint does not compile. */
const HINTS: Record<ErrorCode, string> = {
  SESSION_NOT_FOUND: 'Get an id from list_sessions, or start a session with start_session.',
  SESSION_ENDED: 'The session is read-only. Start another with start_session.',
  SESSION_ACTIVE: 'Continue in the named session, or end it with finish_session.',
  RUN_ACTIVE: 'Another worker has the session. Claim another one, or try again later.',
  RUN_LOST: 'Stop: another worker has taken over, or the session has ended. Claim again.',
  REQUEST_RESOLVED: 'Somebody has answered this request. Read the session for the value.',
  INTAKE_PAUSED: 'New sessions are paused. Continue in an existing one, or try again later.',
  MEMORY_NOT_FOUND: 'Get an id from recall.',
  SEQUENCE_CONFLICT: 'Someone else wrote first. Read the session again, then write.',
  INVALID_TRANSITION: 'Call read_session to see what the session waits for, and provide that first.',
  IDEMPOTENCY_MISMATCH: 'This key was used with other input. Use a new key.',
  IMPORT_CONFLICT: 'Nothing was changed.',
  VALIDATION: 'Correct the named field and call again.',
  TOO_LARGE: 'Send less, or split it into several calls.',
  QUOTA_EXCEEDED: 'Nothing more can be stored. Tell the user to purge old sessions, or to ask the operator.',
  STORAGE: 'Try again in a moment. If it keeps failing, tell the operator of the store.',
  SCHEMA_OUTDATED: 'Tell the operator of the store.',
  SCHEMA_NEWER: 'Tell the operator of the store.',
  UNAUTHENTICATED: 'The token was rejected. Ask the user to check the configuration.',
  TOO_MANY_STREAMS: 'End a subscription first.',
  RATE_LIMITED: 'Wait a moment, then call again, one call at a time.',
  UNAVAILABLE: 'Try again in a moment.',
  ROUTE_NOT_FOUND: 'The server has another version. Tell its operator.',
  INTERNAL: 'Try again. If it keeps failing, tell the operator of the server.',
}

/** An error as a client may see it. */
export interface ClientError {
  code: ErrorCode
  message: string
  details: Readonly<Record<string, string | number>>
  hint: string
}

/**
 * Describes an error for the client. Passes driver errors and unexpected ones to `report`, because their messages may
 * hold stored data, and hides them from the client.
 */
export function toClientError(error: unknown, report: (error: unknown) => void): ClientError {
  const known = isKnown(error) ? error : undefined
  const code = known?.code ?? 'INTERNAL'
  const isDriver = code === 'STORAGE' && known?.cause !== undefined
  if (isDriver || code === 'INTERNAL') report(error)
  const message = isDriver
    ? 'the store failed; see the log'
    : (known?.message ?? 'an unexpected error occurred; see the log')
  return { code, message, details: known?.details ?? {}, hint: HINTS[code] }
}

type KnownError = Error & Pick<ClientError, 'code' | 'details'>

// by code rather than instanceof: two copies of the package may be loaded
function isKnown(error: unknown): error is KnownError {
  return error instanceof Error && 'details' in error && 'code' in error && codes.has(String(error.code))
}

const codes: ReadonlySet<string> = new Set(ERROR_CODES)

/** The error as a tool result, without structured content, which would have to match the tool's output schema. */
export function errorResult({ code, message, details, hint }: ClientError): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}\n${hint}` }],
    _meta: { 'throughline/error': { code, message, details } },
  }
}

/** The error for prompts and resources, where the protocol has no error results. */
export function protocolError(error: unknown, report: (error: unknown) => void): Error {
  const { code, message } = toClientError(error, report)
  return new Error(`${code}: ${message}`)
}
