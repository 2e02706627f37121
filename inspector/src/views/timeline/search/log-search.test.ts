import { afterEach, expect, it, vi } from 'vitest'
import type { SessionEvent } from '../../../api/types.ts'
import type { SessionData } from '../../../session/session-data.ts'
import { LOOK, LogSearch } from './log-search.ts'

/** A log whose every thousandth event has the word. */
const LENGTH = 50_000
const eventAt = (sequence: number) =>
  ({ sequence, type: 'user_message', content: sequence % 1000 === 0 ? 'a Needle' : 'hay' }) as SessionEvent

function searchOf() {
  let arrive: (events: readonly SessionEvent[]) => void = () => undefined
  const requests: string[] = []
  const data = {
    id: 's',
    head: { peek: () => LENGTH },
    onEvents(listener: typeof arrive) {
      arrive = listener
      return () => undefined
    },
  } as unknown as SessionData
  vi.stubGlobal('fetch', async (path: string) => {
    requests.push(path)
    const query = new URLSearchParams(path.split('?')[1])
    const first = Number(query.get('before')) - 1
    const count = Math.min(Number(query.get('limit')), first)
    return Response.json({ items: Array.from({ length: count }, (_, i) => eventAt(first - i)) })
  })
  const search = new LogSearch(data)
  search.follow()
  return { search, requests, arrive: (...events: SessionEvent[]) => arrive(events) }
}

const isDone = (search: LogSearch) => expect.poll(() => search.state.value.isRunning, { timeout: 10_000 }).toBe(false)

afterEach(() => vi.unstubAllGlobals())

it('searches back from the end as far as one look goes, and further on request', async () => {
  const { search } = searchOf()
  search.start('NEEDLE')
  await isDone(search)
  expect(search.state.value.from).toBe(LENGTH - LOOK + 1)
  expect(search.state.value.matches.length).toBe(LOOK / 1000)
  expect(search.state.value.matches.slice(0, 2)).toEqual([31_000, 32_000])
  search.more()
  search.more()
  await isDone(search)
  search.more()
  await isDone(search)
  expect([search.state.value.from, search.state.value.matches.length]).toEqual([1, LENGTH / 1000])
  search.more()
  expect(search.state.value.isRunning).toBe(false)
})

it('another text needs no further requests', async () => {
  const { search, requests } = searchOf()
  search.start('needle')
  await isDone(search)
  const before = requests.length
  search.start('hay')
  await isDone(search)
  expect([requests.length, search.state.value.matches.length]).toEqual([before, LOOK - LOOK / 1000])
  search.start('')
  expect(search.state.value.matches).toEqual([])
})

it('new events are searched as they arrive, also by the next search', async () => {
  const { search, arrive } = searchOf()
  search.start('fresh')
  await isDone(search)
  arrive({ ...eventAt(LENGTH + 1), content: 'a fresh one' })
  expect(search.state.value.matches).toEqual([LENGTH + 1])
  // events were missed: what is kept has a hole, and is read again
  arrive({ ...eventAt(LENGTH + 5), content: 'fresh too' })
  expect(search.state.value.matches).toEqual([LENGTH + 1, LENGTH + 5])
  search.start('needle')
  await isDone(search)
  expect(search.state.value.matches.at(-1)).toBe(LENGTH)
})

it('says why it stopped', async () => {
  const { search } = searchOf()
  vi.stubGlobal('fetch', async () => Response.json({ code: 'STORAGE', detail: 'no disk' }, { status: 503 }))
  search.start('needle')
  await isDone(search)
  expect(search.state.value.problem?.message).toBe('no disk')
})
