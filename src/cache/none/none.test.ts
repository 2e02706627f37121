import { expect, it } from 'vitest'
import { noCache } from './index.ts'

it('keeps nothing and gives no lease, so that whoever reads asks the store and has nothing to fill', async () => {
  const cache = noCache()
  const entry = { value: '{}', version: 1 }
  expect(await cache.get('s1')).toEqual({})
  expect(await cache.fill('s1', entry, 'some lease')).toBe(false)
  await cache.wrote('s1', entry)
  expect(await cache.get('s1')).toEqual({})
  await cache.purged('s1')
  expect(await cache.clear()).toBe(0)
  for await (const { sessionId } of cache.scan()) expect.unreachable(sessionId)
  await cache.close()
})
