import type { ErrorCode } from '../domain/errors.ts'
import { wrap } from './text.ts'

/** Exit codes, the same for every command. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  storage: 5,
  schema: 6,
  found: 7,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

// a Record over the union: a new error code without an exit code does not compile
export const EXIT_OF: Record<ErrorCode, ExitCode> = {
  VALIDATION: EXIT.usage,
  TOO_LARGE: EXIT.usage,
  SESSION_NOT_FOUND: EXIT.notFound,
  MEMORY_NOT_FOUND: EXIT.notFound,
  SESSION_ENDED: EXIT.refused,
  SESSION_ACTIVE: EXIT.refused,
  RUN_ACTIVE: EXIT.refused,
  RUN_LOST: EXIT.refused,
  REQUEST_RESOLVED: EXIT.refused,
  INTAKE_PAUSED: EXIT.refused,
  SEQUENCE_CONFLICT: EXIT.refused,
  INVALID_TRANSITION: EXIT.refused,
  IDEMPOTENCY_MISMATCH: EXIT.refused,
  IMPORT_CONFLICT: EXIT.refused,
  STORAGE: EXIT.storage,
  SCHEMA_OUTDATED: EXIT.schema,
  SCHEMA_NEWER: EXIT.schema,
  UNAUTHENTICATED: EXIT.usage,
  TOO_MANY_STREAMS: EXIT.refused,
  RATE_LIMITED: EXIT.refused,
  QUOTA_EXCEEDED: EXIT.refused,
  UNAVAILABLE: EXIT.storage,
  ROUTE_NOT_FOUND: EXIT.usage,
  INTERNAL: EXIT.unexpected,
}

const MEANINGS: Record<keyof typeof EXIT, string> = {
  ok: 'success',
  unexpected: 'unexpected error',
  usage: 'invalid usage or input',
  notFound: 'not found',
  refused: 'not possible in the current state of the session or the store',
  storage: 'the store cannot be opened, read or written',
  schema: 'the store has a different schema version',
  found: 'verify found differences, or a doctor check failed',
  hungUp: 'the terminal was closed (SIGHUP)',
  interrupted: 'stopped with Ctrl-C',
  terminated: 'stopped with SIGTERM',
}

/** The table of exit codes at the end of `--help`. */
export function exitCodesHelp(): string {
  const lines = Object.entries(MEANINGS).map(([name, meaning]) => {
    const code = EXIT[name as keyof typeof EXIT]
    const errors = Object.entries(EXIT_OF).flatMap(([error, exit]) => (exit === code ? [error] : []))
    const under = errors.length === 0 ? [] : wrap(errors.join(', '), 70)
    return `  ${String(code).padEnd(4)} ${[meaning, ...under].join('\n         ')}`
  })
  return lines.join('\n')
}
