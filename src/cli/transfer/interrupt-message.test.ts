import { afterEach, expect, it, vi } from 'vitest'
import { EXIT } from '../exit-codes.ts'
import { withInterruptMessage } from './interrupt-message.ts'

const { isTTY } = process.stderr

afterEach(() => {
  process.stderr.isTTY = isTTY
  vi.restoreAllMocks()
})

/** What is written when the process ends with this code in the middle of the work. */
async function saidAt(code: number, terminal: boolean): Promise<unknown[]> {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  process.stderr.isTTY = terminal
  const before = process.listenerCount('exit')
  await withInterruptMessage('Run it again.', async () => {
    const end = process.listeners('exit').at(-1) as (code: number) => void
    end(code)
  })
  expect(process.listenerCount('exit')).toBe(before)
  return write.mock.calls.map(([text]) => text)
}

it('prints the message if Ctrl-C ends the work at a terminal', async () => {
  expect(await saidAt(EXIT.interrupted, true)).toEqual(['Run it again.\n'])
  vi.restoreAllMocks()
  expect(await saidAt(EXIT.interrupted, false)).toEqual([])
  vi.restoreAllMocks()
  expect(await saidAt(EXIT.ok, true)).toEqual([])
})

it('returns the result of the work, and throws its error', async () => {
  expect(await withInterruptMessage('words', async () => 7)).toBe(7)
  await expect(withInterruptMessage('words', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})
