import { type DestinationStream, type Logger, pino } from 'pino'
import { ThroughlineError } from '../domain/errors.ts'
import type { LogLevel } from './log-level.ts'

/**
 * Logs JSON lines, never messages or tokens. Requests do not wait for the writes. @param stream stderr if absent
 */
export function serverLog(
  level: LogLevel,
  stream: DestinationStream = pino.destination({ dest: 2, sync: false }),
): Logger {
  const levelName = { level: (label: string) => ({ level: label }) }
  const nothing = () => undefined
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: levelName,
      // requests and responses get here only by mistake, and contain everything
      serializers: { err: failure, req: nothing, res: nothing },
    },
    stream,
  )
}

/** Omits the message of foreign errors, their wrappers and causes: a driver's message may contain payloads. */
function failure(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack = '', cause } = error
  const { code } = error as { code?: unknown }
  return {
    type: name,
    ...(code !== undefined && { code: String(code) }),
    ...(isOurs(error) && isOurs(cause ?? error) && { message }),
    stack: framesIn(stack, message),
    ...(cause !== undefined && { cause: failure(cause) }),
  }
}

const isOurs = (error: unknown) => error instanceof ThroughlineError

/** The stack without the message, which could itself look like stack frames. */
function framesIn(stack: string, message: string): string[] {
  const at = stack.indexOf(message)
  const behind = at < 0 ? '' : stack.slice(at + message.length)
  return behind.split('\n').filter((line) => line.startsWith('    at '))
}
