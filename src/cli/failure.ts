import { debuglog } from 'node:util'
import { CommanderError } from 'commander'
import type { ErrorCode } from '../domain/errors.ts'
import { EXIT, EXIT_OF, type ExitCode } from './exit-codes.ts'

/** Why a command failed. */
export interface Failure {
  code: ErrorCode | 'UNEXPECTED'
  message: string
  details: Readonly<Record<string, string | number>>
  exitCode: ExitCode
}

const debug = debuglog('throughline')

/** Converts an error to its message and exit code; `undefined` after `--help` and `--version`. */
export function toFailure(error: unknown): Failure | undefined {
  debug('%o', error)
  if (error instanceof CommanderError) return toUsageFailure(error)
  if (isCodedError(error)) {
    const { code, details } = error
    return { code, message: messageOf(error), details, exitCode: EXIT_OF[code] }
  }
  const message = error instanceof Error ? error.message : String(error)
  const hint = 'set NODE_DEBUG=throughline for the stack trace'
  return { code: 'UNEXPECTED', message: `${message} (${hint})`, details: {}, exitCode: EXIT.unexpected }
}

/** Adds the command that helps, and names the setting of the token instead of the HTTP header. */
function messageOf({ code, message }: CodedError): string {
  if (code === 'SESSION_NOT_FOUND') return `${message}; to list sessions, run throughline sessions`
  if (code !== 'UNAUTHENTICATED') return message
  if (process.env['THROUGHLINE_TOKEN']) return `the server rejected THROUGHLINE_TOKEN: ${message}`
  return 'the server requires a token: set THROUGHLINE_TOKEN'
}

function toUsageFailure(error: CommanderError): Failure | undefined {
  if (error.exitCode === 0) return undefined
  const problem = error.message.replace(/^error: /, '').replace('\n', ' ')
  // commander has already printed the help
  const message = error.code === 'commander.help' ? 'missing command' : `${problem}; see throughline --help`
  return { code: 'VALIDATION', message, details: {}, exitCode: EXIT.usage }
}

type CodedError = Error & Pick<Failure, 'details'> & { code: ErrorCode }

// by code rather than instanceof: two copies of the package may be loaded
function isCodedError(error: unknown): error is CodedError {
  return error instanceof Error && 'details' in error && 'code' in error && Object.hasOwn(EXIT_OF, String(error.code))
}

/** Whether the error has this code, whichever copy of the package threw it. */
export function hasErrorCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
