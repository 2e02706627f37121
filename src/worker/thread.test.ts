import { afterEach, describe, expect, it } from 'vitest'
import { analyzeText } from '../domain/recall/analyze.ts'
import { exactTokenizer } from '../tokenizers/exact.ts'
import { runInPieces } from './jobs.ts'
import { Thread } from './thread.ts'

const TEXTS = Array.from({ length: 40 }, (_, i) => `Did Ann take ${i} trains to Vienna? She wasn't sure. `.repeat(40))

const threads: Thread[] = []
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.end()
})

function started(...script: URL[]): Thread {
  const thread = new Thread(...script)
  threads.push(thread)
  thread.acquire()
  return thread
}

describe('the worker thread', () => {
  it('computes what the main thread would', async () => {
    const thread = started()
    expect(await thread.run('analyzeTexts', [TEXTS])).toEqual(TEXTS.map(analyzeText))
    const asked = ['I prefer tabs', 'Lives in Porto']
    const held = ['Lives in Lisbon', 'I PREFER tabs!', 'lives in Porto']
    expect(await thread.run('findSimilar', [asked, held])).toEqual([
      { equal: [1], near: [] },
      { equal: [2], near: [] },
    ])
    const words = 'It was a bright cold day in April.\n'.repeat(2000)
    const { count } = await exactTokenizer()
    expect(await thread.run('countTokens', [words, Number.POSITIVE_INFINITY])).toBe(count(words))
    const some = await thread.run('countTokens', [words, 1000])
    expect(some).toBeGreaterThan(1000)
    expect(some).toBeLessThan(3000)
    const contents = ['Has 2 children', 'the of and']
    expect(await thread.run('analyzeContents', [contents])).toEqual(await runInPieces('analyzeContents', [contents]))
    expect(thread.isRunning).toBe(true)
  })

  it('starts with the first computation, and ends with its last user', async () => {
    const thread = started()
    thread.acquire()
    expect(thread.isRunning).toBe(false)
    await thread.run('analyzeTexts', [TEXTS])
    thread.release()
    expect(thread.isRunning).toBe(true)
    const last = thread.run('analyzeTexts', [TEXTS])
    thread.release()
    expect(thread.isRunning).toBe(true)
    expect(await last).toHaveLength(TEXTS.length)
    expect(thread.isRunning).toBe(false)
  })

  it('passes on errors of a computation', async () => {
    const thread = started()
    await expect(thread.run('analyzeTexts', [[7 as never]])).rejects.toThrow(TypeError)
    expect(await thread.run('analyzeTexts', [['hello']])).toHaveLength(1)
  })

  it('repeats what was under way when it crashed, and works after it', async () => {
    const thread = started()
    const several = [TEXTS, TEXTS.slice(1), TEXTS.slice(2)]
    const running = several.map((texts) => thread.run('analyzeTexts', [texts]))
    await thread.end()
    expect((await Promise.all(running)).map(({ length }) => length)).toEqual(several.map(({ length }) => length))
    expect(thread.isRunning).toBe(true)
  })

  it('leaves the work to the main thread if no thread can start', async () => {
    const thread = started(new URL('absent.js', import.meta.url))
    for (let i = 0; i < 3; i++) expect(await thread.run('analyzeTexts', [['hello']])).toEqual([analyzeText('hello')])
    expect(thread.isRunning).toBe(false)
  })

  it('leaves the work to the main thread if too much of it waits', async () => {
    const thread = started()
    const running = Array.from({ length: 100 }, () => thread.run('analyzeTexts', [['violin']]))
    expect(new Set((await Promise.all(running)).map(([found]) => found?.length))).toEqual(new Set([1]))
  })
})
