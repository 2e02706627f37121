import { afterEach, describe, expect, it, vi } from 'vitest'
import { jwtSettings, limitsFrom, limitsSetting, portSetting } from './settings.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const refused = (field: string) => expect.objectContaining({ code: 'VALIDATION', field })

describe('the settings', () => {
  it('of a port take numbers that are ports', () => {
    vi.stubEnv('THROUGHLINE_PORT', '')
    expect(portSetting('THROUGHLINE_PORT')).toBeUndefined()
    for (const [text, port] of [
      ['0', 0],
      ['65535', 65535],
    ] as const) {
      vi.stubEnv('THROUGHLINE_PORT', text)
      expect(portSetting('THROUGHLINE_PORT')).toBe(port)
    }
    for (const text of ['65536', 'http', '-1', '4 7']) {
      vi.stubEnv('THROUGHLINE_PORT', text)
      expect(() => portSetting('THROUGHLINE_PORT')).toThrow(refused('THROUGHLINE_PORT'))
    }
  })

  it('of limits are names with numbers', () => {
    expect(limitsFrom('streamsPerCaller=1000, requests = 20', 'limits')).toEqual({
      streamsPerCaller: 1000,
      requests: 20,
    })
    for (const text of [
      'streams',
      'streams=',
      'streams=many',
      'nothing=1',
      'constructor=1',
      'streams=1;requests=2',
      'body=0',
    ]) {
      expect(() => limitsFrom(text, 'limits'), text).toThrow(/^limits/)
    }
    expect(limitsSetting()).toEqual({})
    vi.stubEnv('THROUGHLINE_LIMITS', 'streams=7')
    expect(limitsSetting()).toEqual({ streams: 7 })
  })

  it('of tokens are read where there is a key', () => {
    vi.stubEnv('THROUGHLINE_JWT_AUDIENCE', 'us')
    expect(jwtSettings()).toBeUndefined()
    vi.stubEnv('THROUGHLINE_JWT_PUBLIC_KEY', '-----BEGIN\\nEND-----')
    vi.stubEnv('THROUGHLINE_JWT_ALGORITHMS', 'RS256, ES256')
    expect(jwtSettings()).toEqual({ publicKey: '-----BEGIN\nEND-----', audience: 'us', algorithms: ['RS256', 'ES256'] })
  })
})
