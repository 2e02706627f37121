import { debuglog } from 'node:util'
import { CommanderError } from 'commander'
import type { ErrorCode } from '../domain/errors.ts'
import { EXIT, EXIT_OF, type ExitCode } from './exit-codes.ts'

/** Why a command did not do what it was asked to. */
export interface Failure {
  code: ErrorCode | 'UNEXPECTED'
  message: string
  details: Readonly<Record<string, string | number>>
  exitCode: ExitCode
}

const debug = debuglog('throughline')

/** What to say about an error, and how to leave. `undefined` when help or the version was asked for and given. */
export function toFailure(error: unknown): Failure | undefined {
  debug('%o', error)
  if (error instanceof CommanderError) return toUsageFailure(error)
  if (isCodedError(error)) return { ...pick(error), message: messageOf(error), exitCode: EXIT_OF[error.code] }
  const message = error instanceof Error ? error.message : String(error)
  const hint = 'NODE_DEBUG=throughline shows where'
  return { code: 'UNEXPECTED', message: `${message} (${hint})`, details: {}, exitCode: EXIT.unexpected }
}

/** A server speaks of headers; here the token is a setting. */
function messageOf({ code, message }: CodedError): string {
  if (code !== 'UNAUTHENTICATED') return message
  if (process.env['THROUGHLINE_TOKEN']) return `the token in THROUGHLINE_TOKEN is not accepted: ${message}`
  return 'the server wants to know who is calling: set THROUGHLINE_TOKEN'
}

function toUsageFailure(error: CommanderError): Failure | undefined {
  if (error.exitCode === 0) return undefined
  // commander has printed the help by then
  const message = error.code === 'commander.help' ? 'no command was given' : error.message.replace(/^error: /, '')
  return { code: 'VALIDATION', message, details: {}, exitCode: EXIT.usage }
}

type CodedError = Error & Pick<Failure, 'details'> & { code: ErrorCode }

// by code rather than instanceof: two copies of the package may be loaded
function isCodedError(error: unknown): error is CodedError {
  return error instanceof Error && 'details' in error && 'code' in error && Object.hasOwn(EXIT_OF, String(error.code))
}

function pick({ code, message, details }: CodedError): Omit<Failure, 'exitCode'> {
  return { code, message, details }
}
