import { RateLimitedError, StorageError, type ThroughlineError, UnavailableError } from '../domain/errors.ts'

/** A failed request that is worth another attempt: no response came, or none from the server itself. Internal. */
export class RetryableError extends Error {
  /** Thrown to the caller when no attempt is left. */
  readonly error: ThroughlineError
  /** Whether the server may have run the call. */
  readonly mayHaveArrived: boolean
  /** The shortest wait the server asks for. */
  readonly retryAfterMs: number

  constructor(error: ThroughlineError, mayHaveArrived: boolean, retryAfterMs = 0) {
    super(error.message, { cause: error })
    this.error = error
    this.mayHaveArrived = mayHaveArrived
    this.retryAfterMs = retryAfterMs
  }
}

/** Codes of requests that never reached a server. */
const NOT_SENT = new Set(['ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])
/** Codes of failures that another attempt cannot fix: an unknown host or a bad certificate. */
const PERMANENT = /^(ENOTFOUND|.*CERT.*|ERR_TLS.*|ERR_SSL.*|UNABLE_TO.*|SELF_SIGNED.*)$/

/** Wraps what `fetch` or reading its response threw. */
export function networkError(origin: string, thrown: unknown): RetryableError | StorageError {
  const { cause = thrown } = thrown as { cause?: unknown }
  const { code = '', message = '' } = (cause ?? {}) as { code?: string; message?: string }
  // some errors name the code only in `code`, some also in the message
  const reason = message.includes(code) ? message : `${code} ${message}`.trim()
  const error = new StorageError('http', `no response from ${origin}: ${reason}`, { cause })
  return PERMANENT.test(code) ? error : new RetryableError(error, !NOT_SENT.has(code))
}

/** For an error response worth another attempt: the server did nothing, or a proxy did not reach it. */
export function retryableResponse(
  status: number,
  error: ThroughlineError,
  retryAfter: string | null,
): RetryableError | undefined {
  // the server did nothing
  if (error instanceof UnavailableError || error instanceof RateLimitedError) {
    return new RetryableError(error, false, parseRetryAfter(retryAfter))
  }
  const isFromProxy = error instanceof StorageError && error.details.store === 'http'
  const isGateway = status === 502 || status === 504 || (status === 503 && isFromProxy)
  return isGateway ? new RetryableError(error, true, parseRetryAfter(retryAfter)) : undefined
}

/** Milliseconds in the header `Retry-After`, which holds seconds or a date. */
function parseRetryAfter(value: string | null): number {
  if (value === null) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? 0 : Math.max(0, ms)
}
