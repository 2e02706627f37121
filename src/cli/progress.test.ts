import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sessionProgress, withProgress } from './progress.ts'

const { isTTY, columns } = process.stderr
const { TERM } = process.env

/** What the work makes appear on stderr: 1000 steps of a millisecond each. */
async function shownWhere(terminal: boolean, wide = 80): Promise<string[]> {
  const shown: string[] = []
  let now = 0
  process.stderr.isTTY = terminal
  process.stderr.columns = wide
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => shown.push(String(text)) > 0)
  await withProgress(async (show) => {
    const onProgress = sessionProgress(show, 'verifying:')
    for (let step = 1; step <= 1000; step++) {
      now++
      onProgress({ sessions: 1, events: step * 10, of: { sessions: 2, events: 10_000 } })
    }
  })
  return shown
}

afterEach(() => {
  vi.restoreAllMocks()
  process.stderr.isTTY = isTTY
  process.stderr.columns = columns
  if (TERM === undefined) delete process.env['TERM']
  else process.env['TERM'] = TERM
})

describe('withProgress', () => {
  // the terminal of whoever runs the tests may be a dumb one
  beforeEach(() => {
    process.env['TERM'] = 'xterm'
  })

  it('shows one line about ten times a second, and clears it', async () => {
    const shown = await shownWhere(true)
    expect(shown).toHaveLength(11)
    expect(shown[0]).toBe('\r\x1b[K[██··················]  10 % verifying: 1 session, 1,000 events')
    expect(shown.at(-1)).toBe('\r\x1b[K')
  })

  it('is silent without a terminal, or on a dumb one', async () => {
    expect(await shownWhere(false)).toEqual([])
    process.env['TERM'] = 'dumb'
    expect(await shownWhere(true)).toEqual([])
  })

  it('stays on one line of a narrow terminal', async () => {
    expect((await shownWhere(true, 40))[0]).toBe('\r\x1b[K 10 % verifying: 1 session, 1,000 even…')
    expect((await shownWhere(true, 30))[0]).toBe('\r\x1b[K 10 % verifying: 1 session, …')
  })

  it('clears the line when the work fails', async () => {
    const shown = await shownWhere(true)
    shown.length = 0
    const failing = withProgress(async (show) => {
      vi.mocked(performance.now).mockImplementation(() => 5000)
      show(() => 'verifying')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(shown).toEqual(['\r\x1b[Kverifying', '\r\x1b[K'])
  })
})
