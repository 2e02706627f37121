import { type DestinationStream, type Logger, pino } from 'pino'
import { ThroughlineError } from '../domain/errors.ts'
import type { LogLevel } from './log-level.ts'

/**
 * Logs lines of JSON: never what people said, nor tokens. Requests do not wait for them to be written. @param stream where to; stderr if absent
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
      // requests and answers come here only by mistake, and they hold everything
      serializers: { err: failure, req: nothing, res: nothing },
    },
    stream,
  )
}

/** Of errors that are not ours the message is left out: a driver's may repeat what it was given. Of those made of one too, and of the causes. */
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

/** What stands behind the message, which could look like frames itself. */
function framesIn(stack: string, message: string): string[] {
  const at = stack.indexOf(message)
  const behind = at < 0 ? '' : stack.slice(at + message.length)
  return behind.split('\n').filter((line) => line.startsWith('    at '))
}
