import { expect, it } from 'vitest'
import { parseAddress } from './address.ts'
import { keysOf, sessionOfKey } from './keys.ts'

it('reads a single server', () => {
  expect(parseAddress('redis://localhost')).toEqual({
    cluster: false,
    tls: false,
    nodes: [{ host: 'localhost', port: 6379 }],
    db: 0,
  })
  expect(parseAddress('rediss://ada:s%40cret@[::1]:7000/3')).toEqual({
    cluster: false,
    tls: true,
    nodes: [{ host: '::1', port: 7000 }],
    username: 'ada',
    password: 's@cret',
    db: 3,
  })
  expect(parseAddress('redis://:secret@h:1/')).toMatchObject({ password: 'secret', db: 0 })
  expect(parseAddress('redis://:secret@h:1')).not.toHaveProperty('username')
})

it('reads the nodes of a cluster', () => {
  expect(parseAddress('redis+cluster://a:1,b,[::1]:3')).toMatchObject({
    cluster: true,
    tls: false,
    nodes: [
      { host: 'a', port: 1 },
      { host: 'b', port: 6379 },
      { host: '::1', port: 3 },
    ],
  })
  expect(parseAddress('rediss+cluster://:secret@a:1')).toMatchObject({ cluster: true, tls: true, password: 'secret' })
})

it.each([
  '',
  'http://h',
  'redis:',
  'redis://',
  'redis://a:1,b:2',
  'redis+cluster://a:1/2',
  'redis://h:port',
  'redis://h/name',
  'redis://:%zz@h',
  'redis://h?cluster=true',
  'redis://secret@h:1,',
])('refuses %j without repeating it', (url) => {
  expect(() => parseAddress(url)).toThrow(/^cache: must be 'redis:\/\/host:port\/db'/)
  expect(() => parseAddress(url)).not.toThrow(/secret/)
})

it('finds the session of its own keys only', () => {
  const [value, , lease] = keysOf('0190-x')
  expect([value, lease].map(sessionOfKey)).toEqual(['0190-x', '0190-x'])
  for (const other of [
    'session::meta',
    'session:a:b:meta',
    'xsession:a:meta',
    'session:a:meta2',
    '{session:a:meta}:version',
  ])
    expect(sessionOfKey(other)).toBeUndefined()
})
