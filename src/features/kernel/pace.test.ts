import { expect, it } from 'vitest'
import { pacer } from './pace.ts'

it('lets other work run every 25 ms', async () => {
  let now = 0
  let pauses = 0
  const pace = pacer(() => now)
  for (let i = 0; i < 100; i++) {
    now += 10
    const pause = pace()
    if (pause !== undefined) pauses++
    await pause
  }
  expect(pauses).toBe(33)
})
