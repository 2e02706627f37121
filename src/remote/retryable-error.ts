import { StorageError, type ThroughlineError, UnavailableError } from '../domain/errors.ts'

/** A request that got no answer, or none from the server itself: it is worth trying again. Never leaves this room. */
export class RetryableError extends Error {
  /** What to throw in its place, once nobody tries any more. */
  readonly error: ThroughlineError
  /** Whether the server may have done the work all the same. */
  readonly mayHaveArrived: boolean
  /** Milliseconds that the server asks for. */
  readonly retryAfterMs: number

  constructor(error: ThroughlineError, mayHaveArrived: boolean, after = 0) {
    super(error.message, { cause: error })
    this.error = error
    this.mayHaveArrived = mayHaveArrived
    this.retryAfterMs = after
  }
}

/** What says that nobody took the request. */
const NOT_SENT = new Set(['ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])
/** What stays as it is however often one tries: no such host, or one that is not who it says. */
const PERMANENT = /^(ENOTFOUND|.*CERT.*|ERR_TLS.*|ERR_SSL.*|UNABLE_TO.*|SELF_SIGNED.*)$/

/** What `fetch` threw, or the reading of an answer. */
export function networkError(origin: string, thrown: unknown): RetryableError | StorageError {
  const { cause = thrown } = thrown as { cause?: unknown }
  const { code = '', message = '' } = (cause ?? {}) as { code?: string; message?: string }
  // some say it in the code alone, some in the message
  const reason = message.includes(code) ? message : `${code} ${message}`.trim()
  const error = new StorageError('http', `the server at ${origin} does not answer: ${reason}`, { cause })
  return PERMANENT.test(code) ? error : new RetryableError(error, !NOT_SENT.has(code))
}

/** Where an answer with an error is worth trying again: the server is busy or stopping, or a proxy did not reach it. */
export function retryableResponse(
  status: number,
  error: ThroughlineError,
  retryAfter: string | null,
): RetryableError | undefined {
  // nothing was done
  if (error instanceof UnavailableError) return new RetryableError(error, false, parseRetryAfter(retryAfter))
  const fromProxy = error instanceof StorageError && error.details.store === 'http'
  const isGateway = status === 502 || status === 504 || (status === 503 && fromProxy)
  return isGateway ? new RetryableError(error, true, parseRetryAfter(retryAfter)) : undefined
}

/** What the header `Retry-After` says: seconds, or a moment. */
function parseRetryAfter(retryAfter: string | null): number {
  if (retryAfter === null) return 0
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) ? 0 : Math.max(0, ms)
}
