import { expect, it } from 'vitest'
import { type Invalidation, pendingInvalidations } from './pending-invalidations.ts'

const ok = async () => {}
const fails = async () => {
  throw new Error('no answer')
}

it('removes each session once, and a purge wins over a plain removal', async () => {
  const set = pendingInvalidations(10)
  set.add('a', 'forget')
  set.add('b', 'purge')
  set.add('b', 'forget')
  set.add('a', 'forget')
  const done: [string, Invalidation][] = []
  await set.run(async (...one) => void done.push(one), fails)
  expect(done).toEqual([
    ['a', 'forget'],
    ['b', 'purge'],
  ])
  expect(set.isEmpty).toBe(true)
  expect(set.has('a')).toBe(false)
})

it('keeps only the sessions that could not be removed', async () => {
  const set = pendingInvalidations(10)
  for (const id of ['a', 'b', 'c']) set.add(id, 'forget')
  await expect(set.run((id) => (id === 'b' ? fails() : ok()), fails)).rejects.toThrow('no answer')
  expect(['a', 'b', 'c'].map(set.has)).toEqual([false, true, false])
})

it('keeps a session that is added again while it is being removed', async () => {
  const set = pendingInvalidations(10)
  set.add('a', 'forget')
  await set.run(async () => {
    expect(set.has('a')).toBe(true)
    set.add('a', 'forget')
  }, fails)
  expect(set.has('a')).toBe(true)
})

it('covers all sessions beyond its limit, until everything is removed', async () => {
  const set = pendingInvalidations(2)
  for (const id of ['a', 'b', 'c']) set.add(id, 'forget')
  expect(set.has('never heard of')).toBe(true)
  await expect(set.run(ok, fails)).rejects.toThrow('no answer')
  expect(set.has('never heard of')).toBe(true)
  expect(set.isEmpty).toBe(false)
  await set.run(ok, async () => {
    expect(set.has('never heard of')).toBe(true)
    set.add('d', 'forget')
  })
  expect(['d', 'a'].map(set.has)).toEqual([true, false])
})

it('removes many sessions in batches', async () => {
  const set = pendingInvalidations(1000)
  for (let n = 0; n < 250; n++) set.add(`${n}`, 'forget')
  const done = new Set<string>()
  await set.run(async (id) => void done.add(id), fails)
  expect(done.size).toBe(250)
  expect(set.isEmpty).toBe(true)
})
