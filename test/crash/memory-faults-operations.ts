import type { EventInput, Throughline } from '../../src/index.ts'
import { NOON } from '../../src/stores/conformance/samples.ts'

export const USER = { tenant: 'local', userId: 'ada' }
/** All happens at one moment, so that what a disturbed run leaves can be compared with an undisturbed one. */
export const CLOCK = { now: () => Date.parse(NOON) }

const LONG = '018f0000-0000-7000-8000-000000000001'
const FIRST = '018f0000-0000-7000-8000-000000000002'
const SECOND = '018f0000-0000-7000-8000-000000000003'
const FORK = '018f0000-0000-7000-8000-000000000004'
const SUMMED = '018f0000-0000-7000-8000-000000000005'

const LISBON = '018f0000-0000-7000-9000-000000000001'
const TEA = '018f0000-0000-7000-9000-000000000002'
const BIRTHDAY = '018f0000-0000-7000-9000-000000000003'
const TABS = '018f0000-0000-7000-9000-000000000004'
const SPACES = '018f0000-0000-7000-9000-000000000005'
const PIANO = '018f0000-0000-7000-9000-000000000006'

/** One call of the rooms of memory and recall, on what it needs. */
export interface Operation {
  prepare(tl: Throughline): Promise<unknown>
  call(tl: Throughline): Promise<unknown>
  /** Code that it is refused with once it was done; absent: it does no harm twice. */
  refusal?: 'MEMORY_NOT_FOUND' | 'SESSION_NOT_FOUND'
  /** It takes several steps, each of them whole; else it is there or not. */
  steps?: boolean
}

const THINGS =
  `tea coffee rye oats plums pears figs leeks kale basil cumin honey jazz polka opera chess judo rowing skiing
  linen wool denim cedar brass ferries trams maps chalk ink clay`.split(/\s+/)

/** What is said in a session of 300 events: a fact in every tenth, of which the last ones were said before. */
function longTalk(): EventInput[] {
  const facts = [...THINGS.slice(0, 24), ...THINGS.slice(0, 4)]
  return Array.from({ length: 298 }, (_, i) => {
    const fact = facts[Math.floor(i / 10)]
    if (i % 10 !== 0 || fact === undefined) return { type: 'model_message', content: 'Noted.' }
    return { type: 'user_message', content: `I prefer ${fact} in ${THINGS[29 - (Math.floor(i / 10) % 24)]}.` }
  })
}

async function started(tl: Throughline, id: string, events: readonly EventInput[]) {
  const session = await tl.sessions.create({ userId: USER.userId, id })
  await session.append([...events])
  return session
}

const said = (content: string): EventInput => ({ type: 'user_message', content })

/** A long session that has ended, one that goes on, a fork, and one with its summary; nothing of them was read yet. */
async function unread(tl: Throughline): Promise<void> {
  const chat = Array.from({ length: 206 }, (_, i) => said(i % 2 === 0 ? 'Go on.' : 'Fine.'))
  const long = await started(tl, LONG, [said('I live in Lisbon.'), ...chat, said('I prefer tea over coffee.')])
  await long.fork({ id: FORK, at: 50 })
  await (await tl.sessions.get(FORK)).append(said('What about the ferries to Lisbon?'))
  await long.end()
  await started(tl, SECOND, [said('The ferries were late.'), { type: 'model_message', content: 'By how much?' }])
  const summed = await started(tl, SUMMED, [said('I prefer rye.')])
  await summed.end()
  await summed.compact('We spoke about rye and bread.')
}

/** Two sessions that were read, and memories: of one of them, of both, of none, and one that was superseded. */
async function remembered(tl: Throughline): Promise<void> {
  const first = await started(tl, FIRST, [said('I live in Lisbon.'), said('I prefer tea over coffee.')])
  const second = await started(tl, SECOND, [said('I prefer tea over coffee.'), said('The ferries were late.')])
  await Promise.all([first.end(), second.end()])
  const { userId } = USER
  const source = { sessionId: FIRST, from: 2, to: 2 }
  await tl.memories.remember([
    { id: LISBON, userId, content: 'Ada has a flat in Lisbon with a view', source },
    { id: TEA, userId, content: 'Ada drinks green tea', source: { sessionId: FIRST, from: 3, to: 3 } },
    { id: BIRTHDAY, userId, content: 'Her birthday is in May', category: 'context', source: { source: 'calendar' } },
    { id: TABS, userId, content: 'Ada indents with tabs', source },
    { id: SPACES, userId, content: 'Ada indents with spaces', source: { sessionId: SECOND, from: 2, to: 3 } },
  ])
  await tl.memories.corroborate(TEA, { sessionId: SECOND, from: 2, to: 2 })
  await tl.memories.contradict(TABS, { sessionId: SECOND, supersededBy: SPACES })
  await tl.index()
}

export const OPERATIONS: Record<string, Operation> = {
  extract: {
    prepare: (tl) => started(tl, LONG, longTalk()),
    call: (tl) => tl.memories.extract(LONG),
    steps: true,
  },
  index: {
    prepare: unread,
    call: (tl) => tl.index(),
    steps: true,
  },
  remember: {
    prepare: remembered,
    call: (tl) =>
      tl.memories.remember([
        { id: PIANO, userId: USER.userId, content: 'Ada plays the piano', source: { sessionId: SECOND } },
        { userId: USER.userId, content: 'Ada drinks green tea', source: { source: 'import' } },
      ]),
  },
  contradict: {
    prepare: remembered,
    call: (tl) =>
      tl.memories.contradict(LISBON, { sessionId: SECOND, from: 3, to: 3, content: 'Ada has a house in Porto' }),
  },
  forget: {
    prepare: remembered,
    call: (tl) => tl.memories.forget(LISBON),
    refusal: 'MEMORY_NOT_FOUND',
  },
  forgetSource: {
    prepare: remembered,
    call: (tl) => tl.memories.forget({ userId: USER.userId, sessionId: FIRST }),
  },
  purgeSession: {
    prepare: remembered,
    call: (tl) => tl.sessions.purge(FIRST),
    refusal: 'SESSION_NOT_FOUND',
    steps: true,
  },
  purgeUser: {
    prepare: remembered,
    call: (tl) => tl.users.purge(USER.userId),
    steps: true,
  },
}
