import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionRoutes } from './requests.ts'
import { expectProblem, send, sendRaw, startTarget, type Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.server.close())

const get = (path: string) => send(target.url, 'GET', path, { token: target.tokens.ada })

describe('a path', () => {
  it.each(['%zz', '%c3%28', '%', '%e0%80%af', '%c0%ae%c0%ae', '%ed%a0%80'])(
    'that is not percent-encoded UTF-8 is refused: %s',
    async (part) => {
      await target.harmless(async () => {
        for (const path of [
          `/v1/sessions/${part}`,
          `/v1/conversations/${part}/commits`,
          `/v1/users/${part}`,
          `/${part}`,
        ]) {
          const method = path.startsWith('/v1/users') ? 'DELETE' : 'GET'
          expectProblem(await send(target.url, method, path, { token: target.tokens.ada }), 400, 'VALIDATION', 'path')
        }
      })
    },
  )

  it.each([
    ['with ..', () => `/v1/sessions/${target.sessions.bob}/../${target.sessions.ada}`],
    ['with .. encoded', () => `/v1/sessions/%2e%2e%2f${target.sessions.ada}`],
    ['with two slashes', () => `//v1/sessions/${target.sessions.ada}`],
    ['with two slashes inside', () => `/v1//sessions/${target.sessions.ada}`],
    ['with a slash behind', () => `/v1/sessions/${target.sessions.ada}/`],
    ['with a backslash', () => `/v1\\sessions\\${target.sessions.ada}`],
    ['in capitals', () => `/V1/SESSIONS/${target.sessions.ada}`],
    ['with a semicolon', () => `/v1/sessions;/${target.sessions.ada}`],
    ['with another host', () => `http://evil.example/v2/sessions`],
    ['of a file', () => '/../../../../etc/passwd'],
    ['of a file, encoded', () => '/%2e%2e/%2e%2e/etc/passwd'],
    ['of nothing', () => '/v1/nothing'],
    ['of 10,000 steps', () => `/v1${'/x'.repeat(5000)}`],
  ])('%s reaches no other route', async (_what, path) => {
    await target.harmless(async () => {
      const { status, body, text } = await get(path())
      expect([status, ['SESSION_NOT_FOUND', 'ROUTE_NOT_FOUND'].includes((body as { code: string }).code)]).toEqual([
        404,
        true,
      ])
      expect(text).not.toMatch(/metadata of|root:/)
    })
  })

  it('that matches no route gets 404, whatever its body', async () => {
    await target.harmless(async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        for (const body of ['{}', '{', 'x'.repeat(100_000)]) {
          expectProblem(await send(target.url, method, '/v1/nothing', { body }), 404, 'ROUTE_NOT_FOUND')
        }
      }
    })
  })

  it.each(['x', '', '%00', '%20', 'a%00b', 'null', 'undefined', '__proto__', 'active%00', "1'%20or%20'1'%3D'1"])(
    'with the session id %j finds none',
    async (id) => {
      await target.harmless(async () => {
        for (const route of sessionRoutes) {
          const path = `/v1${route.path.replace('{id}', id).replace('{sequence}', '1').replace('{requestId}', 'r')}`
          const answer = await send(target.url, route.method, path, { token: target.tokens.ada })
          expect([answer.status, (answer.body as { code: string }).code]).toEqual([
            404,
            id === '' ? expect.stringMatching(/_NOT_FOUND$/) : 'SESSION_NOT_FOUND',
          ])
        }
      })
    },
  )

  it('with an id of 4,000 characters finds none, and the response does not repeat all of it', async () => {
    await target.harmless(async () => {
      const answer = await get(`/v1/sessions/${'x'.repeat(4000)}`)
      expectProblem(answer, 404, 'SESSION_NOT_FOUND')
      expect(answer.text.length).toBeLessThan(1000)
    })
  })

  it('with an id longer than any name matches no route', async () => {
    await target.harmless(async () => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await send(target.url, method, `/v1/sessions/${'x'.repeat(6000)}`, { token: target.tokens.ada })
        expect([answer.status >= 400 && answer.status < 500, answer.text.length < 1000]).toEqual([true, true])
      }
    })
  })

  it('with bytes that no path may hold is invalid HTTP', async () => {
    await target.harmless(async () => {
      for (const path of ['/v1/\0', '/v1/\x7f', '/v1/a b']) {
        const text = await sendRaw(target.url, `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
        expect(text).toMatch(/^HTTP\/1\.1 40[014] /)
      }
    })
  })

  it.each(['0', '-1', '1.5', 'x', '%20', '1e1', '0x2', 'Infinity', '999', '9007199254740993', '2%20', '%EF%BC%92'])(
    'to the sequence %s of a session is refused',
    async (sequence) => {
      await target.harmless(async () => {
        expectProblem(await get(`/v1/sessions/${target.sessions.ada}/at/${sequence}`), 400, 'VALIDATION')
      })
    },
  )
})

describe('a query', () => {
  it('with a repeated key where one value is expected is refused', async () => {
    await target.harmless(async () => {
      const at = `/v1/sessions/${target.sessions.ada}`
      expectProblem(await get('/v1/sessions?limit=1&limit=2'), 400, 'VALIDATION', 'limit')
      expectProblem(await get(`${at}/events?after=1&after=2`), 400, 'VALIDATION', 'after')
      expectProblem(await get(`${at}/stream?after=1&after=2`), 400, 'VALIDATION', 'after')
      expectProblem(await get('/v1/sessions?status=running&status=complete'), 400, 'VALIDATION', 'status')
    })
  })

  it('of thousands of parameters is refused', async () => {
    const many = (name: (n: number) => string) => Array.from({ length: 1500 }, (_, n) => `${name(n)}=`).join('&')
    await target.harmless(async () => {
      for (const query of [many((n) => n.toString(36)), many(() => 'a'), many(() => 'types')]) {
        expectProblem(await get(`/v1/sessions/${target.sessions.ada}/events?${query}`), 400, 'VALIDATION')
      }
    })
  })

  it('of ten thousand parameters exceeds the header limit', async () => {
    await target.harmless(async () => {
      const { status } = await get(`/v1/sessions?${'a=1&'.repeat(10_000)}`)
      expect(status).toBe(431)
    })
  })

  it.each(['%zz=1', 'a=%zz', '%c3%28=%c3%28', '=', '&&&', '?', 'a[b]=c', 'a.b=c', '%00=%00', 'limit=%EF%BC%91'])(
    'that is %j breaks nothing',
    async (query) => {
      await target.harmless(async () => {
        const { status } = await get(`/v1/sessions?${query}`)
        expect([200, 400]).toContain(status)
      })
    },
  )
})
