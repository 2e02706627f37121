import { expect, it } from 'vitest'
import { coalesced } from './coalesced.ts'

/** Work whose end the test decides. */
function work() {
  const ends: ((value: string) => void)[] = []
  const begin = () => new Promise<string>((resolve) => ends.push(resolve))
  return { begin, ends }
}

it('runs once for all who ask until it ends, and for a while afterwards', async () => {
  const { begin, ends } = work()
  let time = 0
  const ask = coalesced(begin, 1000, () => time)
  const first = [ask(), ask()]
  time = 60_000
  first.push(ask())
  expect(ends).toHaveLength(1)
  ends[0]?.('one')
  expect(await Promise.all(first)).toEqual(['one', 'one', 'one'])
  time += 999
  expect(await ask()).toBe('one')
  time += 1
  const second = ask()
  expect(ends).toHaveLength(2)
  ends[1]?.('two')
  expect(await second).toBe('two')
})

it('runs again some time after a failure', async () => {
  let time = 0
  let runs = 0
  const ask = coalesced(
    async () => {
      if (runs++ === 0) throw new Error('the first fails')
      return 'ok'
    },
    10,
    () => time,
  )
  await expect(ask()).rejects.toThrow('the first fails')
  await expect(ask()).rejects.toThrow('the first fails')
  time = 10
  expect(await ask()).toBe('ok')
})
