import type { CallToolResult } from '@modelcontextprotocol/server'
import { ERROR_CODES, type ErrorCode } from '../domain/errors.ts'

/** What a model can do about each error. A Record over the union: a new code without a word does not compile. */
const HINTS: Record<ErrorCode, string> = {
  SESSION_NOT_FOUND: 'Take an id from list_sessions, or begin with start_session.',
  SESSION_ENDED: 'It takes nothing more: begin another with start_session; read_session still reads it.',
  SESSION_ACTIVE: 'Go on in the session that is named, or finish it first with finish_session.',
  INTAKE_PAUSED: 'No new sessions are taken for now: go on in one that there is, or try again later.',
  MEMORY_NOT_FOUND: 'Take an id from recall.',
  SEQUENCE_CONFLICT: 'Somebody else wrote first: read again, and then write.',
  INVALID_TRANSITION: 'See with read_session what the session waits for, and give it that first.',
  IDEMPOTENCY_MISMATCH: 'Take a new key: this one belongs to other input.',
  IMPORT_CONFLICT: 'Nothing was changed.',
  VALIDATION: 'Mend the field that is named, and call again.',
  TOO_LARGE: 'Send less, or in several calls.',
  STORAGE: 'Try again in a moment; if it stays so, tell whoever runs the store.',
  SCHEMA_OUTDATED: 'Tell whoever runs the store.',
  SCHEMA_NEWER: 'Tell whoever runs the store.',
  UNAUTHENTICATED: 'The token is not accepted: tell whoever set this up.',
  TOO_MANY_STREAMS: 'End one of the subscriptions first.',
  UNAVAILABLE: 'Try again in a moment.',
  ROUTE_NOT_FOUND: 'The server is of another version: tell whoever runs it.',
  INTERNAL: 'Try again; if it stays so, tell whoever runs the server.',
}

/** An error as whoever is calling may see it. */
export interface ClientError {
  code: ErrorCode
  message: string
  details: Readonly<Record<string, string | number>>
  /** What to do about it. */
  hint: string
  /** Nobody foresaw it: whoever runs the process has to know. */
  isUnexpected: boolean
}

/** What to say of an error. The words of a driver, and those of what nobody foresaw, stay with whoever runs the process. */
export function toClientError(error: unknown): ClientError {
  const known = isKnown(error) ? error : undefined
  const code = known?.code ?? 'INTERNAL'
  const isDriver = code === 'STORAGE' && known?.cause !== undefined
  const message = isDriver
    ? 'the store failed; the log says more'
    : (known?.message ?? 'something went wrong; the log says more')
  return {
    code,
    message,
    details: known?.details ?? {},
    hint: HINTS[code],
    isUnexpected: isDriver || code === 'INTERNAL',
  }
}

type Known = Error & Pick<ClientError, 'code' | 'details'>

// by code rather than instanceof: two copies of the package may be loaded
function isKnown(error: unknown): error is Known {
  return error instanceof Error && 'details' in error && 'code' in error && codes.has(String(error.code))
}

const codes: ReadonlySet<string> = new Set(ERROR_CODES)

/** The error as the result of a tool. It has no structured content: that would have to fit the schema of the tool. */
export function errorResult({ code, message, details, hint }: ClientError): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}\n${hint}` }],
    _meta: { 'throughline/error': { code, message, details } },
  }
}
