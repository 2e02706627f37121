import { describe, expect, it } from 'vitest'
import { StorageError, UnavailableError } from '../domain/errors.ts'
import { networkError, RetryableError, retryableResponse } from './retryable-error.ts'

/** As `fetch` throws it. */
const failed = (code: string, message = '') =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })

describe('what fetch throws', () => {
  it.each(['ECONNREFUSED', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])(
    'says by %s that nobody took the request',
    (code) => {
      expect(networkError('http://host', failed(code))).toMatchObject({ mayHaveArrived: false })
    },
  )

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_BODY_TIMEOUT', 'HPE_INVALID_CONSTANT', ''])(
    'leaves open by %j whether someone did',
    (code) => {
      const silence = networkError('http://host', failed(code))
      expect(silence).toBeInstanceOf(RetryableError)
      expect(silence).toMatchObject({ mayHaveArrived: true })
    },
  )

  it.each(['ENOTFOUND', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    'is no better another time for %s',
    (code) => {
      expect(networkError('https://host', failed(code))).toBeInstanceOf(StorageError)
    },
  )

  it('is told in the words of its cause, once', () => {
    const text = (thrown: unknown) => (networkError('http://host', thrown) as RetryableError).error.message
    const refused = failed('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1')
    expect(text(refused)).toBe('http: the server at http://host does not answer: connect ECONNREFUSED 127.0.0.1:1')
    // both addresses of a name refused
    expect(text(failed('ECONNREFUSED'))).toBe('http: the server at http://host does not answer: ECONNREFUSED')
    expect(text(failed('UND_ERR_SOCKET', 'other side closed'))).toMatch(/UND_ERR_SOCKET other side closed$/)
    expect(text(new TypeError('terminated'))).toMatch(/: terminated$/)
  })
})

describe('an answer with an error', () => {
  const proxy = new StorageError('http', 'x')
  const store = new StorageError('sqlite', 'x')

  it('is worth another try if the server had no time for it, and did nothing', () => {
    const busy = retryableResponse(503, new UnavailableError('busy'), '2')
    expect(busy).toMatchObject({ mayHaveArrived: false, after: 2000 })
  })

  it('is worth another try if a proxy did not reach the server, whatever was done', () => {
    for (const status of [502, 503, 504]) {
      expect(retryableResponse(status, proxy, null)).toMatchObject({ mayHaveArrived: true, after: 0 })
    }
  })

  it('is the answer otherwise', () => {
    expect(retryableResponse(503, store, '1')).toBeUndefined()
    expect(retryableResponse(500, proxy, null)).toBeUndefined()
    expect(retryableResponse(429, proxy, '1')).toBeUndefined()
  })

  it('asks for no time where it says so in words that nobody knows', () => {
    expect(retryableResponse(502, proxy, 'soon')).toMatchObject({ after: 0 })
    expect(retryableResponse(502, proxy, new Date(0).toUTCString())).toMatchObject({ after: 0 })
  })
})
