import { expect } from 'vitest'
import { DATA_NOTICE } from '../../src/mcp/quote.ts'
import { SESSION_LIST, SESSION_RESOURCES } from '../../src/mcp/resources.ts'
import { TOOLS } from '../../src/mcp/tools.ts'
import type { ListedTool, McpClient, ToolResult } from './clients.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'

/** Calls every tool and reads every resource, as an agent does during a task. @returns the id of its session */
export async function tour(client: McpClient): Promise<string> {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name))
  for (const tool of tools) checkTold(tool)
  const called = new Set<string>()
  const call = async (name: string, args: Record<string, unknown>) => {
    called.add(name)
    return await client.callTool({ name, arguments: args })
  }
  const sessionId = await work(call)
  await end(call, sessionId)
  await runs(call)
  await refused(client, call, sessionId)
  expect([...called].toSorted()).toEqual(tools.map(({ name }) => name).toSorted())
  await readAll(client, sessionId)
  return sessionId
}

type Call = (name: string, args: Record<string, unknown>) => Promise<ToolResult>

/** A tool says when to use it, what each field is, and what it does. */
function checkTold({ name, title, description = '', inputSchema, outputSchema, annotations }: ListedTool): void {
  expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(title).toBeTruthy()
  expect(description.length).toBeGreaterThan(60)
  // its text has a token budget, which the same text as structured content would double
  expect(outputSchema === undefined).toBe(name === 'build_context')
  expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean), destructiveHint: expect.any(Boolean) })
  const plain = ['workflow', 'gitBranch', 'question', 'category', 'kind', 'outcome']
  const silent = Object.entries(inputSchema.properties ?? {}).filter(([, field]) => !field.description)
  expect(silent.map(([field]) => field).filter((field) => !plain.includes(field))).toEqual([])
}

/** The structured result of a call that must succeed and must have text too. */
// biome-ignore lint/suspicious/noExplicitAny: each tool has a shape of its own, which the client checks
function good({ isError, structuredContent, content }: ToolResult): any {
  expect(isError, content[0]?.text).toBeFalsy()
  expect(content[0]?.text).toBeTruthy()
  return structuredContent
}

async function work(call: Call): Promise<string> {
  const begin = { task: 'Make the parser fast', conversationId: 'a conversation of the tour' }
  const { session, isNew } = good(await call('start_session', begin))
  expect({ isNew, state: session.state, task: session.task }).toEqual({
    isNew: true,
    state: 'running',
    task: begin.task,
  })
  const sessionId: string = session.id
  expect(good(await call('start_session', begin))).toMatchObject({ isNew: false, session: { id: sessionId } })

  const messages = [
    { role: 'user', content: 'The zebra parser is slow' },
    { role: 'assistant', toolCalls: [{ id: 'c1', name: 'profile', arguments: { file: 'a.ts' } }] },
    { role: 'tool', toolCallId: 'c1', content: '90 % in split()' },
    { role: 'assistant', content: 'It is split().', agent: 'coach' },
  ]
  const said = { sessionId, messages, idempotencyKey: 'say-1' }
  const kept = good(await call('say', said))
  expect(kept).toEqual({ sequences: [2, 3, 4, 5] })
  expect(good(await call('say', said))).toEqual(kept)

  const decided = { sessionId, kind: 'decision', text: 'Use a table', filesWritten: ['a.ts'], idempotencyKey: 'note-1' }
  const noted = good(await call('note', decided))
  expect(good(await call('note', decided))).toEqual(noted)
  // each is its own step, also when several arrive at once
  const side = await Promise.all(['one', 'two', 'three'].map((text) => call('note', { sessionId, text })))
  expect(new Set(side.map((result) => good(result).sequence)).size).toBe(3)
  expect(codeOf(await call('note', { ...decided, text: 'Use a tree' }))).toBe('IDEMPOTENCY_MISMATCH')

  expect(good(await call('update_scratchpad', { sessionId, patch: { current_task: 'table', n: 1 } }))).toMatchObject({
    version: expect.any(Number),
  })
  expect(good(await call('update_scratchpad', { sessionId, patch: { n: null } })).keys).toEqual(['current_task'])
  expect(good(await call('read_scratchpad', { sessionId }))).toMatchObject({
    scratchpad: { current_task: 'table' },
    leftOut: [],
  })

  expect(good(await call('list_requests', { sessionId }))).toEqual({ requests: [] })
  expect(good(await call('list_requests', {}))).toEqual({ requests: [] })
  expect(codeOf(await call('resolve_request', { sessionId, requestId: 'none', value: true }))).toBe('VALIDATION')

  expect(
    good(await call('hand_off', { sessionId, to: 'motivator', reason: 'needs cheer', decisions: ['a table'] })),
  ).toMatchObject({ from: 'assistant', to: 'motivator' })
  expect(good(await call('take_handoff', { sessionId })).handoff).toMatchObject({ key_decisions: ['a table'] })
  expect(good(await call('take_handoff', { sessionId }))).toEqual({ isClipped: false })

  const memory = good(
    await call('remember', { content: 'Ada likes tables more than trees', category: 'preferences', sessionId }),
  )
  expect(memory.outcome).toBe('created')
  const found = good(await call('recall', { query: 'does Ada like tables?', kinds: ['memory'] }))
  expect(found.items.map(({ id }: { id: string }) => id)).toEqual([memory.id])
  expect(good(await call('recall', { query: 'zebra parser' })).items[0]).toMatchObject({ kind: 'event', sessionId })
  expect(good(await call('forget', { memoryId: memory.id }))).toEqual({ forgotten: 1 })
  expect(codeOf(await call('forget', { memoryId: memory.id }))).toBe('MEMORY_NOT_FOUND')

  const context = await call('build_context', { sessionId, maxTokens: 2000, recall: true })
  expect(good(context)).toBeUndefined()
  expect(context.content[0]?.text).toContain('assistant coach: It is split().')
  return sessionId
}

async function end(call: Call, sessionId: string): Promise<void> {
  const asked = good(await call('ask', { sessionId, question: 'Which table?' }))
  expect(asked.session.waitsFor).toEqual({ for: 'answer', text: 'Which table?' })
  expect(good(await call('resume_conversation', {}))).toMatchObject({ plan: 'ask_again', session: { id: sessionId } })
  const answer = { sessionId, text: 'The small one', idempotencyKey: 'answer-1' }
  expect(good(await call('answer', answer)).session.state).toBe('running')

  expect(good(await call('propose', { sessionId, summary: 'It is fast' })).session.waitsFor.for).toBe('confirmation')
  // the same response again, although the session waits for something else now
  expect(good(await call('answer', answer)).session.state).toBe('running')
  expect(good(await call('answer', { sessionId, text: 'Faster' })).session.state).toBe('running')
  good(await call('propose', { sessionId, summary: 'It is faster' }))
  const read = await call('read_session', { sessionId, turns: 2 })
  expect(good(read)).toMatchObject({ session: { waitsFor: { text: 'It is faster' } }, omitted: 0 })
  expect(read.content[0]?.text).toContain(DATA_NOTICE)
  expect(good(await call('read_event', { sessionId, sequence: 1 })).type).toBe('session_started')
  expect(good(await call('finish_session', { sessionId, outcome: 'confirmed' })).session.state).toBe('complete')
  const { sessions } = good(await call('list_sessions', { status: 'complete' }))
  expect(sessions.map(({ id }: { id: string }) => id)).toContain(sessionId)
}

async function runs(call: Call): Promise<void> {
  const { session } = good(await call('start_session', { task: 'Work on it alone' }))
  const sessionId: string = session.id
  const first = good(await call('claim_session', { sessionId, worker: 'one' }))
  expect(first).toMatchObject({ run: 1, session: { id: sessionId } })
  expect(codeOf(await call('claim_session', { sessionId, worker: 'two' }))).toBe('RUN_ACTIVE')
  const step = { sessionId, run: 1, key: 'plan' }
  expect(good(await call('find_step', step))).toEqual({ isRecorded: false, isClipped: false })
  const result = { days: 3, by: 'train' }
  const done = { isRecorded: true, result, isClipped: false }
  expect(good(await call('complete_step', { ...step, result }))).toEqual(done)
  expect(good(await call('complete_step', { ...step, result: 'another' }))).toEqual(done)
  expect(good(await call('find_step', step))).toEqual(done)
  good(await call('say', { sessionId, messages: [{ role: 'assistant', content: 'By train' }] }))
  expect(good(await call('finish_run', { sessionId, run: 1, note: 'planned' }))).toEqual({ isFinished: true })
  expect(codeOf(await call('finish_run', { sessionId, run: 1 }))).toBe('RUN_LOST')
  expect(codeOf(await call('complete_step', { ...step, key: 'late' }))).toBe('RUN_LOST')
  // a call of no run
  good(await call('say', { sessionId, messages: [{ role: 'user', content: 'Book it' }] }))
  expect(good(await call('cancel_run', { sessionId }))).toEqual({ isAsked: false })
  const second = good(await call('claim_session', {}))
  expect(second).toMatchObject({ run: 2, session: { id: sessionId } })
  expect(good(await call('cancel_run', { sessionId, reason: 'no money' }))).toEqual({ isAsked: true })
  good(await call('finish_run', { sessionId, run: 2, outcome: 'failed' }))
  good(await call('finish_session', { sessionId, outcome: 'abandoned' }))
}

const codeOf = ({ isError, content, _meta }: ToolResult) => {
  expect(isError).toBe(true)
  const code = _meta?.['throughline/error']?.code
  // with the next step
  expect(content[0]?.text).toMatch(new RegExp(`^${code}: .+\\n.+`))
  return code
}

async function refused(client: McpClient, call: Call, sessionId: string): Promise<void> {
  expect(codeOf(await call('note', { sessionId, text: 'too late' }))).toBe('SESSION_ENDED')
  expect(codeOf(await call('read_session', { sessionId: NOBODY }))).toBe('SESSION_NOT_FOUND')
  const { session } = good(await call('start_session', { task: 'Another' }))
  expect(codeOf(await call('finish_session', { sessionId: session.id, outcome: 'confirmed' }))).toBe(
    'INVALID_TRANSITION',
  )
  expect(codeOf(await call('update_scratchpad', { sessionId: session.id, patch: 'no object' }))).toBe('VALIDATION')
  good(await call('finish_session', { sessionId: session.id, outcome: 'abandoned', reason: 'only a test' }))
  const wrong = await call('read_session', { sessionId: 'no uuid', turns: 1000 })
  expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('validation') }] })
  await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow(/not found/i)
}

async function readAll(client: McpClient, sessionId: string): Promise<void> {
  const read = async (uri: string) => {
    const [first] = (await client.readResource({ uri })).contents
    expect(first?.uri).toBe(uri)
    return first?.mimeType === 'application/json' ? JSON.parse(first.text) : first?.text
  }
  const { resources } = await client.listResources()
  expect(resources).toContainEqual(expect.objectContaining({ uri: SESSION_LIST.uri }))
  const own = `${SESSION_LIST.uri}/${sessionId}`
  expect(resources).toContainEqual(expect.objectContaining({ uri: own, name: 'Make the parser fast' }))
  const { resourceTemplates } = await client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
    SESSION_RESOURCES.map(({ path }) => `${SESSION_LIST.uri}${path}`),
  )
  for (const { uriTemplate } of resourceTemplates) {
    expect(await read(uriTemplate.replace('{id}', sessionId).replace('{from}', '2'))).toBeTruthy()
  }
  expect((await read(SESSION_LIST.uri)).sessions).toContainEqual(expect.objectContaining({ id: sessionId }))
  expect(await read(own)).toContain('The zebra parser is slow')
  expect((await read(`${own}/events/2`)).events[0]).toMatchObject({ sequence: 2, type: 'user_message' })
  expect((await read(`${own}/scratchpad`)).scratchpad).toEqual({ current_task: 'table' })
  expect((await read(`${own}/commits`)).commits).toContainEqual(
    expect.objectContaining({ sessionId, decisions: ['Use a table'] }),
  )
  for (const uri of [`${SESSION_LIST.uri}/${NOBODY}`, `${SESSION_LIST.uri}/no-uuid/events`, `${own}/nothing`]) {
    await expect(client.readResource({ uri })).rejects.toThrow(/not found/i)
  }
  const ref = { type: 'ref/resource', uri: `${SESSION_LIST.uri}/{id}` } as const
  const { completion } = await client.complete({ ref, argument: { name: 'id', value: sessionId.slice(0, 8) } })
  expect(completion.values).toContain(sessionId)
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['resume'])
  const { messages } = await client.getPrompt({ name: 'resume' })
  expect(messages[0]?.content.text).toContain('start_session')
}
