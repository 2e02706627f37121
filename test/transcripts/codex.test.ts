import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ExportedEvent } from '../../src/api.ts'
import type { SessionEvent } from '../../src/domain/event.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { pairCalls } from '../../src/domain/window.ts'
import { codex } from '../../src/transcripts/codex/format.ts'
import { QUIET_MS } from '../../src/transcripts/late-usage.ts'
import { Transcript } from '../../src/transcripts/transcript.ts'
import { blocksIn, OWNER, readTranscript, rollout, threadId, withFolder } from './transcripts.ts'

async function sessionOf(number: number): Promise<ExportedEvent[]> {
  return (await readTranscript(rollout(number))).get(threadId(number)) ?? []
}

/** Types behind the first event, without the words that all of our own begin with. */
const typesOf = (events: readonly ExportedEvent[]) => events.slice(1).map(({ type }) => type.replace('x.codex.', 'x:'))

/** Types of the conversation only. */
const spokenIn = (events: readonly ExportedEvent[]) => typesOf(events).filter((type) => !type.startsWith('x'))

const partsOf = (events: readonly ExportedEvent[], type: string) =>
  events.filter((event) => event.type === type).map(({ parts }) => parts as JsonObject)

describe('a rollout of Codex', () => {
  it('becomes a session with the facts of its first line', async () => {
    const [first] = await sessionOf(1)
    expect(first?.parts).toEqual({
      tenant: 'local',
      userId: 'ada',
      chatmode: 'codex',
      conversationId: threadId(1),
      agent: 'codex',
      gitBranch: 'main',
      task: 'Why does the parser lose the last line?',
      metadata: {
        source: 'codex',
        cwd: '/home/ada/parser',
        version: '0.98.0',
        originator: 'codex_cli_rs',
        file: basename(rollout(1)),
      },
    })
  })

  it('has each message once, although events repeat it, and no message that the program added', async () => {
    const events = await sessionOf(1)
    expect(spokenIn(events)).toEqual([
      ...['system_event', 'system_event', 'system_event', 'user_message', 'model_message', 'tool_call', 'tool_result'],
      ...['tool_call', 'tool_result', 'tool_call', 'tool_result', 'model_message', 'user_message', 'tool_call'],
      ...['tool_result', 'model_message'],
    ])
    const words = events.map(({ content }) => content).filter((content) => content !== '')
    expect(new Set(words).size).toBe(words.length)
    expect(events.find(({ type }) => type === 'x.thinking')?.content).toBe('**Looking at the reader**')
  })

  it('has tool calls with arguments as objects, and results that say whether they failed', async () => {
    const events = await sessionOf(1)
    expect(partsOf(events, 'tool_call')).toMatchObject([
      { id: 'call_01', name: 'shell_command', arguments: { command: 'cat read.ts', workdir: '/home/ada/parser' } },
      { id: 'call_02', name: 'apply_patch', arguments: { input: expect.stringContaining('*** Update File: read.ts') } },
      { id: 'call_03', name: 'shell_command', arguments: { command: 'npm test' } },
      { name: 'web_search', arguments: { type: 'search', query: 'posix text file last line' } },
    ])
    expect(partsOf(events, 'tool_result').map(({ isError }) => isError)).toEqual([
      undefined,
      undefined,
      true,
      undefined,
    ])
    expect(pairCalls(events as unknown as SessionEvent[]).dangling).toEqual([])
    const bare = await sessionOf(2)
    expect(partsOf(bare, 'tool_call')).toMatchObject([
      { id: 'call_11', name: 'local_shell', arguments: { command: ['bash', '-lc', 'ls'] } },
      { id: 'call_12', name: 'shell', arguments: { command: ['bash', '-lc', 'cat nothing'] } },
    ])
    expect(partsOf(bare, 'tool_result').map(({ isError }) => isError)).toEqual([undefined, true])
    const compaction = await sessionOf(7)
    expect(compaction.filter(({ type }) => type === 'tool_result').map(({ content }) => content)).toEqual([
      ...['', 'one\ntwo', 'only', 'an object'],
    ])
  })

  it('written by an old version has the same types', async () => {
    expect(typesOf(await sessionOf(2))).toEqual([
      ...['x:session_meta', 'x:state', 'system_event', 'user_message', 'x:state', 'x:response_item.reasoning'],
      ...['tool_call', 'tool_result', 'tool_call', 'tool_result', 'model_message'],
    ])
  })

  it('keeps compacted history, interruptions and messages between agents out of the turns', async () => {
    const events = await sessionOf(7)
    expect(spokenIn(events).filter((type) => type === 'user_message')).toHaveLength(2)
    expect(events.filter(({ type }) => type === 'system_event').map(({ content }) => content.split('\n')[0])).toEqual([
      ...['What happened so far: a lot.', '<turn_aborted>', 'The helper is done.', 'Do it.'],
    ])
  })

  it('has one message of the user, whatever the program puts around an attachment or adds', async () => {
    const texts = [
      ...[
        '<image name=[Image #1] path="/tmp/a.png">',
        '</image>',
        '<audio>',
        '</audio>',
        '<external_ide>x</external_ide>',
      ],
      ...['Warning: apply_patch was requested via exec_command.', 'Why is <image> here?', '<image> breaks the parser'],
    ]
    const content = texts.map((text) => ({ type: 'input_text', text }))
    const lines = [
      { type: 'session_meta', payload: { id: threadId(1) } },
      { type: 'response_item', payload: { type: 'message', role: 'user', content } },
    ]
    await withFolder(async (folder) => {
      const path = join(folder, `rollout-2026-03-02T09-00-00-${threadId(1)}.jsonl`)
      await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      const events = (await readTranscript(path)).get(threadId(1)) ?? []
      const typed = events.filter(({ type }) => type === 'user_message').map((event) => event.content)
      expect(typed).toEqual(texts.slice(-2))
    })
  })

  it('keeps what it does not know', async () => {
    const types = new Set(typesOf(await sessionOf(8)))
    for (const type of ['x:world_state', 'x:future_kind', 'x:response_item.future_item', 'x:value', 'x:unreadable']) {
      expect(types).toContain(type)
    }
  })
})

describe('usage in a rollout', () => {
  const usageIn = (events: readonly ExportedEvent[]) =>
    events
      .map(({ parts }) => (parts as { usage?: JsonObject } | undefined)?.usage)
      .filter((usage) => usage !== undefined)

  it('is at the last event of each response, once, with the model of its turn', async () => {
    const events = await sessionOf(1)
    expect(usageIn(events)).toEqual([
      { model: 'gpt-5.2-codex', inputTokens: 9000, outputTokens: 120, cacheReadTokens: 4000 },
      { model: 'gpt-5.2-codex', inputTokens: 9500, outputTokens: 80, cacheReadTokens: 9000 },
      { model: 'gpt-5.2-codex', inputTokens: 9700, outputTokens: 40, cacheReadTokens: 9500 },
      { model: 'gpt-5.2-codex', inputTokens: 9900, outputTokens: 60, cacheReadTokens: 9700 },
      { model: 'gpt-5.2', inputTokens: 10_000, outputTokens: 30, cacheReadTokens: 9900 },
    ])
    const carriers = events.filter(({ parts }) => (parts as JsonObject)['usage'] !== undefined)
    expect(carriers.map(({ type }) => type)).toEqual([
      ...['tool_call', 'tool_call', 'tool_call', 'model_message', 'model_message'],
    ])
  })

  it('of a fork or sub-agent does not include the history that it copied', async () => {
    expect(usageIn(await sessionOf(5)).map((usage) => usage['inputTokens'])).toEqual([7000])
    expect(usageIn(await sessionOf(6)).map((usage) => usage['inputTokens'])).toEqual([1000])
  })

  it('may come before the response, or never', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, basename(rollout(1)))
      const message = (role: string) => ({
        type: 'response_item',
        payload: { type: 'message', role, content: [{ type: 'output_text', text: role }] },
      })
      const count = (n: number) => ({
        type: 'event_msg',
        payload: { type: 'token_count', info: { last_token_usage: { input_tokens: n }, total_token_usage: { n } } },
      })
      const usages = async (...lines: object[]) => {
        await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
        const events = [...(await readTranscript(path)).values()].flat()
        const spoken = events.filter(({ type }) => type === 'model_message')
        return spoken.map(({ parts }) => (parts as { usage?: { inputTokens: number } }).usage?.inputTokens)
      }
      expect(await usages(count(7), message('assistant'), message('user'))).toEqual([7])
      expect(await usages(message('assistant'), message('user'), message('assistant'), count(8))).toEqual([
        undefined,
        8,
      ])
    })
  })

  it('holds a response back until it comes, or until the file was quiet for a minute', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, basename(rollout(1)))
      const whole = [
        { type: 'session_meta', payload: { id: threadId(1) } },
        {
          type: 'response_item',
          payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] },
        },
        { type: 'event_msg', payload: { type: 'agent_message', message: 'Yes.' } },
        { type: 'event_msg', payload: { type: 'token_count', info: { last_token_usage: { input_tokens: 5 } } } },
      ].map((line) => `${JSON.stringify({ timestamp: '2026-03-02T09:00:00Z', ...line })}\n`)
      const transcript = new Transcript(codex, path, OWNER)
      const read = async (count: number) => {
        await writeFile(path, whole.slice(0, count).join(''))
        return (await blocksIn(transcript)).flatMap(({ events }) => events.map(({ sequence }) => sequence))
      }
      expect(await read(3)).toEqual([1, 2])
      expect(await read(3)).toEqual([])
      expect(await read(4)).toEqual([3, 4, 5])

      await writeFile(path, whole.slice(0, 3).join(''))
      const { utimes } = await import('node:fs/promises')
      const result = async () => {
        const blocks = new Transcript(codex, path, OWNER).blocks()
        let next = await blocks.next()
        const sequences: number[] = []
        for (; !next.done; next = await blocks.next()) sequences.push(...next.value.events.map((one) => one.sequence))
        return { sequences, isTorn: next.value.isTorn, isWaiting: next.value.isWaiting }
      }
      expect(await result()).toEqual({ sequences: [1, 2], isTorn: true, isWaiting: true })
      await utimes(path, new Date(), new Date(Date.now() - QUIET_MS - 1000))
      expect(await result()).toEqual({ sequences: [1, 2, 3, 4], isTorn: false, isWaiting: false })
    })
  })
})

describe('a sub-agent of Codex', () => {
  const startOf = async (number: number) => (await sessionOf(number))[0]?.parts as JsonObject

  it('is a child of the call that started it', async () => {
    const [parent, child, copy] = await Promise.all([3, 4, 5].map(sessionOf))
    const calls = parent?.filter(({ type }) => type === 'tool_call').map(({ sequence }) => sequence) ?? []
    for (const [i, events] of [child, copy].entries()) {
      expect(events?.[0]?.parts).toMatchObject({
        conversationId: threadId(3),
        chatmode: `codex:${threadId(i + 4)}`,
        parent: { sessionId: threadId(3), sequence: calls[i] },
      })
    }
    expect(await startOf(4)).toMatchObject({ metadata: { agentName: 'Ada', agentRole: 'explorer' } })
  })

  it('has its own work only, with the copied history as noise', async () => {
    const events = await sessionOf(5)
    expect(spokenIn(events)).toEqual(['user_message', 'model_message'])
    expect(typesOf(events).filter((type) => type === 'x:copied')).toHaveLength(6)
    expect(await startOf(5)).toMatchObject({ task: 'Read the history' })
  })

  it('is no fork: a fork keeps the messages it copied, and names its source', async () => {
    expect(spokenIn(await sessionOf(6))).toEqual(['user_message', 'model_message', 'user_message', 'model_message'])
    const { metadata, parent } = await startOf(6)
    expect(metadata).toMatchObject({ forkedFrom: threadId(1) })
    expect(parent).toBeUndefined()
  })

  it('has the id of its rollout where a thread was reverted', () => {
    const name = `rollout-2026-03-02T09-00-00-${threadId(1)}_${threadId(2)}.jsonl`
    expect(codex.parseName(name).sessionId).toBe(threadId(2))
    expect(codex.parseName('other.jsonl').sessionId).toBeUndefined()
  })
})
