import { describe, expect, it } from 'vitest'
import { RateLimitedError, StorageError, UnavailableError } from '../domain/errors.ts'
import { networkError, RetryableError, retryableResponse } from './retryable-error.ts'

/** As `fetch` throws it. */
const failed = (code: string, message = '') =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })

describe('networkError', () => {
  it.each(['ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    'knows that %s never reached a server',
    (code) => {
      expect(networkError('http://host', failed(code))).toMatchObject({ mayHaveArrived: false })
    },
  )

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT', 'HPE_INVALID_CONSTANT', ''])(
    'assumes that %j may have reached the server',
    (code) => {
      const failure = networkError('http://host', failed(code))
      expect(failure).toBeInstanceOf(RetryableError)
      expect(failure).toMatchObject({ mayHaveArrived: true })
    },
  )

  it.each(['ENOTFOUND', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    'does not retry %s',
    (code) => {
      expect(networkError('https://host', failed(code))).toBeInstanceOf(StorageError)
    },
  )

  it('shows code and message of the cause once', () => {
    const text = (thrown: unknown) => (networkError('http://host', thrown) as RetryableError).error.message
    const refused = failed('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1')
    expect(text(refused)).toBe('http: no response from http://host: connect ECONNREFUSED 127.0.0.1:1')
    // as when every address of a host refuses
    expect(text(failed('ECONNREFUSED'))).toBe('http: no response from http://host: ECONNREFUSED')
    expect(text(failed('UND_ERR_SOCKET', 'other side closed'))).toMatch(/UND_ERR_SOCKET other side closed$/)
    expect(text(new TypeError('terminated'))).toMatch(/: terminated$/)
  })
})

describe('retryableResponse', () => {
  const proxy = new StorageError('http', 'x')
  const store = new StorageError('sqlite', 'x')

  it('retries when the server was busy and did nothing', () => {
    const busy = retryableResponse(503, new UnavailableError('busy'), '2')
    expect(busy).toMatchObject({ mayHaveArrived: false, retryAfterMs: 2000 })
    const limited = retryableResponse(429, new RateLimitedError({ limit: 'requests', retryAfter: 1 }), '1')
    expect(limited).toMatchObject({ mayHaveArrived: false, retryAfterMs: 1000 })
  })

  it('retries when a proxy did not reach the server, which may have run the call', () => {
    for (const status of [502, 503, 504]) {
      expect(retryableResponse(status, proxy, null)).toMatchObject({ mayHaveArrived: true, retryAfterMs: 0 })
    }
  })

  it('does not retry other errors', () => {
    expect(retryableResponse(503, store, '1')).toBeUndefined()
    expect(retryableResponse(500, proxy, null)).toBeUndefined()
    expect(retryableResponse(429, proxy, '1')).toBeUndefined()
  })

  it('ignores a Retry-After that it cannot read or that has passed', () => {
    expect(retryableResponse(502, proxy, 'soon')).toMatchObject({ retryAfterMs: 0 })
    expect(retryableResponse(502, proxy, new Date(0).toUTCString())).toMatchObject({ retryAfterMs: 0 })
  })
})
