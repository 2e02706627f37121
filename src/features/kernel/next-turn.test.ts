import { expect, it } from 'vitest'
import { nextTurn } from './next-turn.ts'

it('one piece of all long work runs in a turn of the event loop', async () => {
  let pieces = 0
  const perTurn: number[] = []
  let isOver = false
  const watch = () => {
    perTurn.push(pieces)
    pieces = 0
    if (!isOver) setImmediate(watch)
  }
  const work = async () => {
    for (let i = 0; i < 5; i++) {
      await nextTurn()
      pieces++
    }
  }
  const all = Promise.all(Array.from({ length: 8 }, work))
  setImmediate(watch)
  await all
  isOver = true
  expect(Math.max(...perTurn)).toBe(1)
})
