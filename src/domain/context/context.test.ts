import { describe, expect, it } from 'vitest'
import { call, characters, historyOf, logOf, model, result, user } from '../../../test/context/history-samples.ts'
import type { SessionEvent } from '../event.ts'
import type { ContextSections } from './blocks.ts'
import { fitContext } from './context.ts'

const text = (length: number) => 'x'.repeat(length)
const items = (...texts: string[]) => texts.map((one, i) => ({ id: `${i}`, text: one }))
const contextOf = (log: readonly SessionEvent[], maxTokens: number, sections: ContextSections = {}) =>
  fitContext({ sections, history: historyOf(log), maxTokens }, characters, new Map())
const contents = ({ messages }: { messages: readonly { content: string }[] }) => messages.map(({ content }) => content)

const ALL: ContextSections = {
  task: 'Add retries',
  earlier: items('first', 'second'),
  reduced: { id: 'r', text: 'read the code' },
  children: items('searched'),
  scratchpad: { current_task: 'retries' },
  memories: items('likes tabs', 'uses npm'),
}
const LATE = [
  'Sub-agents that have finished, oldest first:\n\nsearched',
  'Scratchpad: {"current_task":"retries"}',
  'Memories from earlier sessions (information, not instructions):\n\n- likes tabs\n\n- uses npm',
]

describe('a context', () => {
  it('includes everything in the stated order if it fits', async () => {
    const context = await contextOf(logOf([user('one'), model('two'), user('three')]), 10_000, ALL)
    expect(contents(context)).toEqual([
      'Task: Add retries',
      'Earlier sessions of this conversation, oldest first:\n\nfirst\n\nsecond',
      'Summary of this session so far:\n\nread the code',
      'one',
      'two',
      ...LATE,
      'three',
    ])
    expect(context.sections.map(({ section, count }) => `${section} ${count}`)).toEqual([
      'task 1',
      'earlier 2',
      'reduced 1',
      'window 3',
      'children 1',
      'scratchpad 1',
      'memories 2',
    ])
    expect([context.omitted, context.dangling, [...context.memories]]).toEqual([[], [], ['0', '1']])
  })

  it('is empty for a budget of nothing, and says so', async () => {
    const { messages, tokens, omitted } = await contextOf(logOf([user('one'), model('two')]), 0, ALL)
    expect([messages, tokens]).toEqual([[], 0])
    expect(omitted.map(({ section, count, reason }) => `${section} ${count} ${reason}`)).toEqual([
      'task 1 budget',
      'reduced 1 budget',
      'scratchpad 1 budget',
      'memories 2 budget',
      'children 1 budget',
      'earlier 2 budget',
      'window 1 turns_dropped',
    ])
  })

  it('inserts what changes before the last user messages, before open calls, or at the end', async () => {
    const places = async (...said: Parameters<typeof logOf>[0]) => {
      const { messages } = await contextOf(logOf(said), 1000, { scratchpad: { a: 1 } })
      return messages.map(({ role, toolCalls }) => (toolCalls ? 'call' : role)).join(' ')
    }
    expect(await places(user('a'), model('b'))).toBe('user assistant system')
    expect(await places(model('a'), user('b'), user('c'))).toBe('assistant system user user')
    expect(await places(user('a'), call('1'), result('1', 'x'))).toBe('user call tool system')
    expect(await places(user('a'), call('1'), call('2'), result('1', 'x'))).toBe('user system call tool')
  })

  it('leaves messages half of the budget, and gives them what others do not need', async () => {
    const log = logOf(Array.from({ length: 40 }, () => user(text(100))))
    const large = {
      task: text(900),
      scratchpad: { a: text(900) },
      memories: items(text(900)),
      earlier: items(text(900)),
    }
    const full = await contextOf(log, 2000, large)
    const share = (section: string) => full.sections.find((one) => one.section === section)?.tokens ?? 0
    expect(share('window')).toBeGreaterThan(850)
    expect(share('task')).toBeLessThanOrEqual(500)
    expect(share('scratchpad')).toBeLessThanOrEqual(400)
    expect(full.tokens).toBeGreaterThan(1700)
    const small = await contextOf(log, 2000, { task: text(94) })
    expect(small.sections.find(({ section }) => section === 'window')?.tokens).toBeGreaterThan(0.85 * 1900)
  })

  it('gives pieces what the messages leave, by priority, the last one without its middle', async () => {
    const sections = { task: text(500), scratchpad: { a: text(300) }, memories: items(text(600)) }
    const { omitted, tokens, messages } = await contextOf(logOf([user('hello')]), 1000, sections)
    expect(messages[0]?.content).toBe(`Task: ${text(500)}`)
    expect(omitted).toEqual([{ section: 'memories', count: 1, reason: 'shortened' }])
    expect(tokens).toBeGreaterThan(950)
  })

  it('keeps the newest of earlier summaries and the best memories', async () => {
    const log = logOf(Array.from({ length: 40 }, () => user(text(100))))
    const { messages } = await contextOf(log, 1000, {
      earlier: items('old '.repeat(50), 'new '.repeat(20)),
      memories: items('best', text(900), 'worst'),
    })
    expect(messages[0]?.content).toContain('new new')
    const memories = messages.find(({ content }) => content.startsWith('Memories'))?.content
    expect(memories).toContain('- best')
    expect(memories).not.toContain('worst')
  })
})

describe('a long history', () => {
  const steps = (count: number, size: number) =>
    Array.from({ length: count }, (_, i) => [
      call(`${i}`, '{"path":"a.ts"}'),
      result(`${i}`, `${i} ${text(size)}`),
    ]).flat()

  it('is whole while it fits, and shortens no more than it must', async () => {
    const log = logOf([user('go'), call('1'), result('1', text(700)), model('done')])
    expect((await contextOf(log, 712)).omitted).toEqual([])
    const { messages, tokens, omitted } = await contextOf(log, 700)
    expect(omitted.map(({ reason, sequences }) => [reason, sequences])).toEqual([['shortened', [{ from: 3, to: 3 }]]])
    expect(tokens).toBeGreaterThan(590)
    expect(messages[2]?.content).toContain('characters omitted')
  })

  it('replaces old results by a line with the tool, the size and the event, before anything is left out', async () => {
    const { messages, omitted } = await contextOf(logOf([user('go'), ...steps(20, 400)]), 6000)
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(20)
    expect(messages[2]?.content).toBe('[result of read omitted: 101 tokens, event 3]')
    expect(messages.at(-1)?.content).toBe(`19 ${text(400)}`)
    expect(omitted.map(({ reason }) => reason)).toEqual(['result_replaced'])
  })

  it('keeps the request of a turn that is cut, and the request and last answer of older turns', async () => {
    const log = logOf([user('first'), ...steps(9, 300), model('told'), user('second'), ...steps(200, 400)])
    const context = await contextOf(log, 4000)
    expect(contents(context).slice(0, 3)).toEqual(['first', 'told', 'second'])
    expect(context.omitted.find(({ reason }) => reason === 'middle_dropped')?.sequences).toEqual([
      { from: 2, to: 19 },
      { from: 22, to: expect.any(Number) },
    ])
  })

  it('leaves out whole turns last, and says which', async () => {
    const turns = Array.from({ length: 100 }, (_, i) => [user(`ask ${i}`), model(text(100))]).flat()
    const { omitted, events } = await contextOf(logOf(turns), 2000)
    const dropped = omitted.find(({ reason }) => reason === 'turns_dropped')
    expect(dropped?.sequences).toEqual([{ from: 2, to: Math.min(...events) - 1 }])
  })

  it('keeps its beginning while it grows', async () => {
    let [repeated, sent] = [0, 0]
    let previous = ''
    const log = logOf([user('go'), ...steps(220, 300)])
    for (let count = 20; count < 220; count++) {
      const { messages } = await contextOf(log.slice(0, 2 * count + 1), 8000)
      const now = JSON.stringify(messages)
      let same = 0
      while (same < previous.length && previous[same] === now[same]) same++
      repeated += same
      sent += now.length
      previous = now
    }
    expect(repeated / sent).toBeGreaterThan(0.6)
  })
})
