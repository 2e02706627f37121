import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ExportedEvent } from '../../src/api.ts'
import type { SessionEvent } from '../../src/domain/event.ts'
import type { JsonObject } from '../../src/domain/json.ts'
import { pairCalls } from '../../src/domain/window.ts'
import { derivedId } from '../../src/features/kernel/derived-id.ts'
import { claudeCode } from '../../src/transcripts/claude-code/format.ts'
import { Transcript } from '../../src/transcripts/transcript.ts'
import { blocksIn, DATA, dataFile, OWNER, readTranscript, sessionId, withFolder } from './transcripts.ts'

async function mainOf(variant: string, number: number): Promise<ExportedEvent[]> {
  return (await readTranscript(dataFile(variant, number))).get(sessionId(number)) ?? []
}

/** Types behind the first event, without the words that all of our own begin with. */
const typesOf = (events: readonly ExportedEvent[]) =>
  events.slice(1).map(({ type }) => type.replace('x.claude-code.', 'x:'))

describe('a transcript', () => {
  it('becomes a session that starts with its first lines', async () => {
    const [first, second] = await mainOf('plain', 1)
    expect(first).toEqual({
      sequence: 1,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'session_started',
      role: 'system',
      content: 'Session started: Why does the parser lose the last line?',
      parts: {
        tenant: 'local',
        userId: 'ada',
        chatmode: 'claude-code',
        conversationId: sessionId(1),
        agent: 'claude',
        gitBranch: 'main',
        task: 'Why does the parser lose the last line?',
        metadata: { source: 'claude-code', cwd: '/home/ada/parser', version: '2.0.14', file: `${sessionId(1)}.jsonl` },
      },
      occurredAt: '2026-03-02T09:00:02.014Z',
      createdAt: '2026-03-02T09:00:02.014Z',
    })
    expect(second).toMatchObject({
      type: 'user_message',
      role: 'user',
      content: 'Why does the parser lose the last line?',
      parts: { line: 1, at: ['message', 'content'], entry: { type: 'user', message: { role: 'user' } } },
      occurredAt: '2026-03-02T09:00:02.014Z',
    })
  })

  it.each<[string, number, string[]]>([
    [
      'plain',
      1,
      ['user_message', 'x.thinking', 'model_message', 'tool_call', 'tool_result', 'model_message', 'user_message'],
    ],
    [
      'blocks',
      2,
      [
        ...['user_message', 'x:image', 'x:document', 'x:redacted_thinking', 'model_message', 'tool_call'],
        ...['tool_result', 'model_message', 'tool_call', 'tool_call', 'tool_call', 'tool_result', 'tool_result'],
        ...['tool_result', 'user_message', 'tool_call', 'tool_result', 'x.thinking', 'x:text', 'x:tool_use'],
        ...['x:block', 'x:fallback'],
      ],
    ],
    ['summaries', 5, ['x:summary', 'x:summary', 'x:file-history-snapshot', 'user_message', 'model_message']],
    ['summaries', 6, ['x:summary']],
    [
      'compaction',
      7,
      [
        ...['user_message', 'model_message', 'x:system.compact_boundary', 'system_event', 'user_message'],
        'model_message',
      ],
    ],
    ['errors', 9, ['user_message', 'x:api_error', 'x:system.api_error', 'user_message', 'model_message']],
    [
      'interrupted',
      10,
      [
        ...['user_message', 'tool_call', 'tool_call', 'tool_result', 'system_event', 'user_message', 'tool_call'],
        'system_event',
      ],
    ],
    [
      'commands',
      11,
      [
        ...['system_event', 'user_message', 'system_event', 'user_message', 'system_event', 'system_event'],
        ...['user_message', 'system_event', 'x:queue-operation.enqueue', 'x:queue-operation.dequeue'],
        ...['user_message', 'x:attachment.queued_command', 'model_message'],
      ],
    ],
    [
      'broken',
      13,
      [
        ...['user_message', 'x:unreadable', 'x:unreadable', 'x:unreadable', 'x:unreadable', 'user_message'],
        ...['tool_call', 'tool_result', 'x:odd', 'x:odd', 'x:twice', 'user_message'],
      ],
    ],
    ['empty', 16, []],
  ])('%s/%i becomes the right event types', async (variant, number, types) => {
    expect(typesOf(await mainOf(variant, number))).toEqual(types)
  })

  it('shows the text of a result with one part or several', async () => {
    const results = (await mainOf('blocks', 2)).filter(({ type }) => type === 'tool_result')
    expect(results.map(({ content }) => content)).toEqual(['', '', 'first note\nsecond note', '', 'one text'])
    const rejected = (await mainOf('interrupted', 10)).find(({ type }) => type === 'tool_result')
    expect(rejected?.parts).toMatchObject({ toolCallId: 'toolu_01', isError: true })
  })

  it('keeps its own times, and they never go back', async () => {
    const unknown = await mainOf('unknown', 12)
    const times = unknown.map(({ createdAt }) => createdAt)
    expect(times).toEqual(times.toSorted())
    // before the first time, between two, without one, and an earlier one in another zone
    expect(times[1]).toBe('2026-03-02T09:00:02.014Z')
    expect(unknown.at(-1)).toMatchObject({
      occurredAt: '2026-03-02T09:10:00+02:00',
      createdAt: '2026-03-02T09:00:08.056Z',
    })
    const undated = unknown.filter(({ occurredAt }) => occurredAt === undefined)
    expect(undated.length).toBeGreaterThan(10)
  })

  it.each(['1969-12-31T23:59:59.999Z', '3000-01-01T00:00:00Z', '9999-12-31T23:00:00-05:00', '0000-01-01T00:00:00Z'])(
    'ignores the time %s, which not every store can hold, and keeps its text',
    async (timestamp) => {
      await withFolder(async (folder) => {
        const path = join(folder, `${sessionId(1)}.jsonl`)
        const said = (at: string) => `${JSON.stringify({ type: 'user', timestamp: at, message: { content: at } })}\n`
        const times = [timestamp, '2026-03-02T09:00:00Z', timestamp, '2026-03-02T10:00:00Z']
        await writeFile(path, times.map(said).join(''))
        const [first, ...events] = (await readTranscript(path)).get(sessionId(1)) ?? []
        expect(first).toMatchObject({ occurredAt: times[1], createdAt: '2026-03-02T09:00:00.000Z' })
        expect(events.map(({ occurredAt }) => occurredAt)).toEqual(times)
        expect(events.map(({ createdAt }) => createdAt.slice(0, 13))).toEqual(
          ['09', '09', '09', '10'].map((hour) => `2026-03-02T${hour}`),
        )
        // and the file was last written to at such a time
        await writeFile(path, said(timestamp))
        await utimes(path, new Date(0), new Date(timestamp))
        const [only] = (await readTranscript(path)).get(sessionId(1)) ?? []
        expect(only?.createdAt).toMatch(/^(19[789]|2)\d+-/)
      })
    },
  )

  it('takes its task from the first user message, or else from the first command', async () => {
    const taskOf = ([first]: ExportedEvent[]) => (first?.parts as { task?: string } | undefined)?.task
    expect(taskOf(await mainOf('commands', 11))).toBe('What does this file do?')
    expect(taskOf(await mainOf('summaries', 6))).toBeUndefined()
    await withFolder(async (folder) => {
      const said = (content: string) => JSON.stringify({ type: 'user', message: { content } })
      const task = async (...texts: string[]) => {
        const path = join(folder, `${sessionId(1)}.jsonl`)
        await writeFile(path, texts.map((text) => `${said(text)}\n`).join(''))
        return taskOf([...(await readTranscript(path)).values()].flat())
      }
      const command = '<command-name>/review</command-name>\n<command-args>the parser</command-args>'
      expect(await task(command, '<bash-input>ls</bash-input>')).toBe('/review the parser')
      expect(await task(command, '  words ')).toBe('words')
      expect(await task('🎻'.repeat(300))).toBe(`${'🎻'.repeat(199)}…`)
    })
  })

  it('pairs every result with its call; interrupted calls stay open', async () => {
    const dangling = async (variant: string, number: number) => {
      const events = (await mainOf(variant, number)) as unknown as SessionEvent[]
      const paired = pairCalls(events)
      expect(paired.events).toHaveLength(events.length)
      return paired.dangling
    }
    expect(await dangling('plain', 1)).toEqual([])
    expect(await dangling('blocks', 2)).toEqual([])
    expect(await dangling('broken', 13)).toEqual([])
    expect(await dangling('interrupted', 10)).toEqual(['toolu_02', 'toolu_03'])
  })

  it('has stable ids up to the first line that differs', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, `${sessionId(1)}.jsonl`)
      const idsOf = async (lines: readonly string[]) => {
        await writeFile(path, lines.map((line) => `${line}\n`).join(''))
        return [...(await readTranscript(path)).values()].flat().map(({ id }) => id)
      }
      const ids = await idsOf(['{"a":1}', '{"b":1}', '{"c":1}'])
      expect(await idsOf(['{"a":1}', '{"b":1}', '{"c":1}'])).toEqual(ids)
      const others = await idsOf(['{"a":1}', '{"b":2}', '{"c":1}', '{"d":1}'])
      expect(others.map((id, i) => id === ids[i])).toEqual([true, true, false, false, false])
      expect(new Set([...ids, ...others]).size).toBe(7)
    })
  })
})

describe('a transcript that is read again', () => {
  it('returns the added lines, or all of them if earlier ones changed', async () => {
    await withFolder(async (folder) => {
      const path = join(folder, `${sessionId(1)}.jsonl`)
      const transcript = new Transcript(claudeCode, path, OWNER)
      const sequencesOf = async (text: string) => {
        await writeFile(path, text)
        return (await blocksIn(transcript)).flatMap(({ events }) => events.map(({ sequence }) => sequence))
      }
      expect(await sequencesOf('{"a":1}\n{"b":')).toEqual([1, 2])
      expect(await sequencesOf('{"a":1}\n{"b":1}')).toEqual([3])
      expect(await sequencesOf('{"a":1}\n{"b":1}')).toEqual([])
      expect(await sequencesOf('{"a":1}\n{"b":1}\n{"c":1}\n')).toEqual([4])
      expect(await sequencesOf('{"a":1}\n{"b":1}\n{"c":2}\n{"d":1}\n')).toEqual([1, 2, 3, 4, 5])
      expect(await sequencesOf('{"a":1}\n')).toEqual([1, 2])
      // broken off in the midst
      await writeFile(path, '{"a":1}\n{"b":1}\n')
      for await (const block of transcript.blocks()) {
        expect(block.events[0]?.sequence).toBe(3)
        break
      }
      expect(await sequencesOf('{"a":1}\n{"b":1}\n')).toEqual([1, 2, 3])
    })
  })
})

describe('a sub-agent', () => {
  const scopeOf = ([first]: ExportedEvent[]) => {
    const { chatmode, conversationId, task } = (first?.parts ?? {}) as JsonObject
    return { chatmode, conversationId, task }
  }

  it('is a session of its own in the conversation if its lines are in the main file', async () => {
    const sessions = await readTranscript(dataFile('sidechain', 3))
    const main = sessionId(3)
    const [reader, writer] = ['aaaaaaaa-0000-4000-8000-000000003003', 'aaaaaaaa-0000-4000-8000-000000003004']
    expect([...sessions.keys()]).toEqual([main, ...[reader, writer, '9f8e7d6c'].map((agent) => derivedId(main, agent))])
    expect([...sessions.values()].map(scopeOf)).toEqual([
      { chatmode: 'claude-code', conversationId: main, task: 'Review reader and writer, side by side.' },
      { chatmode: `claude-code:${reader}`, conversationId: main, task: 'Review the reader' },
      { chatmode: `claude-code:${writer}`, conversationId: main, task: 'Review the writer' },
      { chatmode: 'claude-code:9f8e7d6c', conversationId: main, task: 'Warm up' },
    ])
    expect([...sessions.values()].map(typesOf)).toEqual([
      ['user_message', 'tool_call', 'tool_call', 'tool_result', 'tool_result', 'model_message'],
      ['user_message', 'tool_call', 'tool_result', 'model_message'],
      ['user_message', 'model_message'],
      ['user_message', 'model_message'],
    ])
  })

  it.each(['agent-a1b2c3d4.jsonl', `${sessionId(4)}/subagents/agent-e5f6a7b8.jsonl`])(
    'has a file of its own: %s',
    async (file) => {
      const [, agent = ''] = /agent-(\w+)/.exec(file) ?? []
      const [[id, events] = ['', []], ...others] = await readTranscript(join(DATA, 'agents', file))
      expect(others).toEqual([])
      expect(id).toBe(derivedId(sessionId(4), agent))
      expect(scopeOf(events)).toEqual({
        chatmode: `claude-code:${agent}`,
        conversationId: sessionId(4),
        task: 'Count the files',
      })
      expect(events[0]?.parts).toMatchObject({ metadata: { agentId: agent }, parent: { sessionId: sessionId(4) } })
    },
  )
})

describe('the name of a session', () => {
  it('comes from the file, whatever its lines say', async () => {
    expect([...(await readTranscript(dataFile('resumed', 8))).keys()]).toEqual([sessionId(8)])
    expect(claudeCode.parseName(`/p/${sessionId(8).toUpperCase()}.JSONL`).sessionId).toBe(sessionId(8))
  })

  it('comes from the lines, or else from the path, if the file has another name', async () => {
    await withFolder(async (folder) => {
      const [told, untold] = [join(folder, 'copy.jsonl'), join(folder, 'other.jsonl')]
      await writeFile(told, `{"type":"summary","summary":"s"}\n{"type":"user","sessionId":"${sessionId(9)}"}\n`)
      await writeFile(untold, '{"type":"summary","summary":"s"}\n')
      expect([...(await readTranscript(told)).keys()]).toEqual([sessionId(9)])
      expect([...(await readTranscript(untold)).keys()]).toEqual([derivedId('claude-code', untold)])
    })
  })
})
