import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/domain/json.ts'
import { derivedId } from '../../src/features/kernel/derived-id.ts'
import { dataFile, readTranscript, sessionId, withFolder } from './transcripts.ts'

const SESSION = sessionId(1)

const user = (content: unknown, more = {}) => ({ type: 'user', message: { role: 'user', content }, ...more })
const assistant = (id: string, content: unknown[], usage: object, more = {}) => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'claude-opus-4-6', content, usage },
  ...more,
})
const text = (words: string) => ({ type: 'text', text: words })
const task = (id: string, prompt: string) => ({ type: 'tool_use', id, name: 'Task', input: { prompt } })

async function write(path: string, entries: readonly object[]): Promise<string> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  return path
}

describe('usage in a transcript of Claude Code', () => {
  async function usageOf(entries: readonly object[]): Promise<JsonObject[]> {
    return await withFolder(async (folder) => {
      const sessions = await readTranscript(await write(join(folder, `${SESSION}.jsonl`), entries))
      const parts = [...sessions.values()].flat().map((event) => event.parts as { usage?: JsonObject } | undefined)
      return parts.flatMap((one) => (one?.usage === undefined ? [] : [one.usage]))
    })
  }

  it('is counted once for the lines of a message, with its final numbers', async () => {
    const numbers = { input_tokens: 3, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }
    const lines = [
      assistant('msg_1', [{ type: 'thinking', thinking: 'Hm.' }], { ...numbers, output_tokens: 8 }),
      assistant('msg_1', [text('I look.')], { ...numbers, output_tokens: 8 }),
      assistant('msg_1', [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }], { ...numbers, output_tokens: 8 }),
      user([{ type: 'tool_result', tool_use_id: 't1', content: 'x' }]),
      assistant('msg_1', [{ type: 'tool_use', id: 't2', name: 'Read', input: {} }], { ...numbers, output_tokens: 300 }),
      assistant('msg_2', [text('Done.')], { input_tokens: 1, output_tokens: 5 }),
    ]
    expect(await usageOf(lines)).toEqual([
      { model: 'claude-opus-4-6', inputTokens: 123, outputTokens: 8, cacheReadTokens: 100, cacheWriteTokens: 20 },
      { model: 'claude-opus-4-6', inputTokens: 0, outputTokens: 292 },
      { model: 'claude-opus-4-6', inputTokens: 1, outputTokens: 5 },
    ])
  })

  it('has the cost that older versions wrote, once for each message', async () => {
    const lines = [1, 2].map(() => assistant('msg_1', [text('A')], { output_tokens: 1 }, { costUSD: 0.25 }))
    expect(await usageOf(lines)).toEqual([{ model: 'claude-opus-4-6', inputTokens: 0, outputTokens: 1, costUsd: 0.25 }])
  })

  it('leaves out lines copied from another session, errors of the program, and numbers that are none', async () => {
    const usage = { input_tokens: 5, output_tokens: 5 }
    const synthetic = assistant('msg_3', [text('A')], usage)
    expect(
      await usageOf([
        assistant('msg_1', [text('A')], usage, { sessionId: sessionId(2) }),
        assistant('msg_2', [text('A')], usage, { forkedFrom: { sessionId: sessionId(2), messageUuid: 'u' } }),
        { ...synthetic, message: { ...synthetic.message, model: '<synthetic>' } },
        assistant('msg_4', [text('A')], { input_tokens: -1, output_tokens: '5' }),
        assistant('msg_5', [text('A')], { input_tokens: 1e12, output_tokens: 5 }),
      ]),
    ).toEqual([])
  })
})

describe('a sub-agent of Claude Code', () => {
  const agentLine = (prompt: string, agentId: string) => user(prompt, { isSidechain: true, agentId })

  /** What a sub-agent's session says about its parent. */
  async function parentOf(files: Record<string, readonly object[]>, agent: string): Promise<unknown> {
    return await withFolder(async (folder) => {
      for (const [name, entries] of Object.entries(files)) await write(join(folder, name), entries)
      const [[, events = []] = []] = await readTranscript(join(folder, agent))
      return (events[0]?.parts as JsonObject | undefined)?.['parent']
    })
  }

  const main = `${SESSION}.jsonl`
  const agent = `${SESSION}/subagents/agent-a1.jsonl`
  const calls = [user('Go'), assistant('m1', [task('t1', 'Count')], {}), assistant('m2', [task('t2', 'Count')], {})]

  it.each([
    ['its description', [], { 'agent-a1.meta.json': { agentType: 'Explore', toolUseId: 't2' } }, 4],
    [
      'its progress',
      [{ type: 'progress', parentToolUseID: 't2', data: { type: 'agent_progress', agentId: 'a1' } }],
      {},
      4,
    ],
    [
      'the result of the call',
      [user([{ type: 'tool_result', tool_use_id: 't1', content: 'x' }], { toolUseResult: { agentId: 'a1' } })],
      {},
      3,
    ],
    ['nothing, if several calls have its prompt', [], {}, undefined],
  ])('belongs to the call named by %s', async (_by, more, sidecars, sequence) => {
    const described = Object.entries(sidecars).map(([name, value]) => [`${SESSION}/subagents/${name}`, [value]])
    const files = { [main]: [...calls, ...more], [agent]: [agentLine('Count', 'a1')], ...Object.fromEntries(described) }
    expect(await parentOf(files, agent)).toEqual({ sessionId: SESSION, ...(sequence !== undefined && { sequence }) })
  })

  it('belongs to the only call with its prompt, whose own sub-agent is not another one', async () => {
    const one = [user('Go'), assistant('m1', [task('t1', 'Count')], {})]
    const other = user([{ type: 'tool_result', tool_use_id: 't1', content: 'x' }], { toolUseResult: { agentId: 'b2' } })
    const files = { [main]: one, [agent]: [agentLine('Count', 'a1')] }
    expect(await parentOf(files, agent)).toEqual({ sessionId: SESSION, sequence: 3 })
    expect(await parentOf({ ...files, [main]: [...one, other] }, agent)).toEqual({ sessionId: SESSION })
    expect(await parentOf({ [agent]: [agentLine('Count', 'a1')] }, agent)).toEqual({ sessionId: SESSION })
  })

  it('of a workflow or of another sub-agent finds its parent, too', async () => {
    const deep = `${SESSION}/subagents/workflows/wf_1/agent-c3.jsonl`
    const one = [user('Go'), assistant('m1', [task('t1', 'Count')], {})]
    expect(await parentOf({ [main]: one, [deep]: [agentLine('Count', 'c3')] }, deep)).toEqual({
      sessionId: SESSION,
      sequence: 3,
    })
    const nested = `${SESSION}/subagents/agent-b2.jsonl`
    const files = {
      [main]: calls,
      [agent]: [agentLine('Count', 'a1'), assistant('m3', [task('t3', 'Help')], {}, { isSidechain: true })],
      [nested]: [agentLine('Help', 'b2')],
      [`${SESSION}/subagents/agent-b2.meta.json`]: [{ toolUseId: 't3', parentAgentId: 'a1' }],
    }
    expect(await parentOf(files, nested)).toEqual({ sessionId: derivedId(SESSION, 'a1'), sequence: 3 })
  })

  it('within the file of its session belongs to the call with its prompt', async () => {
    const sessions = await readTranscript(dataFile('sidechain', 3))
    const [parent, ...agents] = [...sessions.values()]
    const callsOf = parent?.filter(({ type }) => type === 'tool_call').map(({ sequence }) => sequence) ?? []
    expect(agents.map(([first]) => (first?.parts as JsonObject | undefined)?.['parent'])).toEqual([
      { sessionId: sessionId(3), sequence: callsOf[0] },
      { sessionId: sessionId(3), sequence: callsOf[1] },
      { sessionId: sessionId(3) },
    ])
  })
})

describe('what the program adds', () => {
  it.each([
    [{ type: 'progress', data: { type: 'hook_progress' } }, 'x.claude-code.progress.hook_progress'],
    [{ type: 'attachment', attachment: { type: 'todo' } }, 'x.claude-code.attachment.todo'],
    [{ type: 'queue-operation', operation: 'enqueue', content: 'x' }, 'x.claude-code.queue-operation.enqueue'],
    [{ type: 'system', subtype: 'turn_duration' }, 'x.claude-code.system.turn_duration'],
    [{ type: 'progress', data: 7 }, 'x.claude-code.progress'],
    [user('3 agents were stopped', { origin: { kind: 'task-notification' } }), 'system_event'],
    [user('I typed this', { origin: { kind: 'human' } }), 'user_message'],
    [user('<task-notification>\n<task-id>a1</task-id>'), 'system_event'],
  ])('%j is %s', async (entry, type) => {
    await withFolder(async (folder) => {
      const sessions = await readTranscript(await write(join(folder, `${SESSION}.jsonl`), [entry]))
      expect([...sessions.values()].flat().map((event) => event.type)).toEqual(['session_started', type])
    })
  })
})
