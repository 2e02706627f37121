import { describe, expect, it } from 'vitest'
import { targetOf } from './target.ts'

describe('a URL', () => {
  it.each([
    ['memory:', { store: 'memory' }],
    ['sqlite:sessions.db', { store: 'sqlite', path: 'sessions.db' }],
    ['sqlite:../a b/sessions.db', { store: 'sqlite', path: '../a b/sessions.db' }],
    ['sqlite:/var/lib/sessions.db', { store: 'sqlite', path: '/var/lib/sessions.db' }],
    ['sqlite:///var/lib/sessions.db', { store: 'sqlite', path: '/var/lib/sessions.db' }],
    ['sqlite:C:\\sessions.db', { store: 'sqlite', path: 'C:\\sessions.db' }],
    ['postgres://ada:secret@host/db', { store: 'postgres', url: 'postgres://ada:secret@host/db' }],
    ['http://localhost:4747', { store: 'http', url: 'http://localhost:4747/' }],
    ['https://host/behind/a/proxy/', { store: 'http', url: 'https://host/behind/a/proxy/' }],
  ])('%s names a store', (url, target) => {
    expect(targetOf(url)).toEqual(target)
  })

  it.each([
    '',
    'sessions.db',
    'memory',
    'memory:x',
    'sqlite:',
    'sqlite://',
    'sqlite::memory:',
    'sqlite://host/sessions.db',
    'SQLITE:sessions.db',
    'xsqlite:sessions.db',
    'http:',
    'http://',
    'http:host',
    'https://host:port',
    'https://ada@host',
    'https://:secret@host',
    'https://host/?token=secret',
    'https://host/#top',
    'HTTPS://host',
  ])("'%s' is refused", (url) => {
    expect(() => targetOf(url)).toThrow(expect.objectContaining({ code: 'VALIDATION', field: 'url' }))
  })

  it('that is refused is not repeated beyond its scheme', () => {
    expect(() => targetOf('mysql://ada:secret@host/db')).toThrow("not 'mysql:…'")
    expect(() => targetOf('ada:secret@host')).not.toThrow('secret')
    expect(() => targetOf('secret')).toThrow('not the given value')
    for (const url of ['https://ada:secret@host', 'https://host?secret', 'https://secret:secret', 'http:secret'])
      expect(() => targetOf(url)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('secret') }))
  })
})
