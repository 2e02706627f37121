import { expect, it } from 'vitest'
import { CHECKSUM, type CoveredFields, checksumOf } from './event-checksum.ts'

const SALT = '000102030405060708090a0b'
const message: CoveredFields = { type: 'user_message', role: 'user', content: 'hello' }

it('stays as it is, because it is stored', () => {
  expect(checksumOf(message, SALT)).toBe(`${SALT}3ba7d2c3cd64f214bb05c943b4030989`)
  const rich = { ...message, content: 'ünï 漢字 😀', parts: '{"a":-0}', agentId: 'cook', occurredAt: '2026-01-31' }
  expect(checksumOf(rich, SALT)).toBe(`${SALT}234af4e01ef8f97d3c99d8776bb1028f`)
})

it('has a salt of its own, and comes out equal under that salt only', () => {
  const made = Array.from({ length: 1000 }, () => checksumOf(message))
  expect(new Set(made.map((checksum) => checksum.slice(0, 24))).size).toBe(1000)
  for (const checksum of made) {
    expect(checksum).toMatch(CHECKSUM)
    expect(checksumOf(message, checksum)).toBe(checksum)
  }
  expect(checksumOf(message, '')).not.toBe('')
})

it('differs wherever a field differs, and where text moves from one field to another', () => {
  const events: CoveredFields[] = [
    message,
    { ...message, type: 'user_messag', role: 'euser' },
    { ...message, role: 'userhello', content: '' },
    { ...message, content: 'hello-' },
    { ...message, content: '5:hello', role: 'user' },
    { ...message, parts: '' },
    { ...message, parts: 'x' },
    { ...message, agentId: 'x' },
    { ...message, occurredAt: 'x' },
    { ...message, content: 'hello1:x' },
  ]
  expect(new Set(events.map((event) => checksumOf(event, SALT))).size).toBe(events.length)
})
