import type { EventInput, Session, Throughline } from '../../src/api.ts'

/** Progress events around each call: seven of ten events are custom ones, as in the logs of coding agents. */
const PROGRESS = 9
const CALLS = 180
/** Sub-agents, each called by a `Task` call of the second turn. */
export const SUB_AGENTS = 10
/** The only event with this text is the result of call 100. */
export const NEEDLE = 'Übermäßig seltener Fehler'

const TOOLS = ['Bash', 'Read', 'Edit', 'Bash', 'Grep', 'Read', 'Bash', 'Edit', 'Write', 'Bash'] as const

const text = (type: EventInput['type'], content: string, parts?: EventInput['parts']): EventInput => ({
  type,
  content,
  ...(parts !== undefined && { parts }),
})

/** Usage as an event carries it. */
export const USAGE = {
  model: 'model-1',
  inputTokens: 20_000,
  outputTokens: 400,
  cacheReadTokens: 18_000,
  cacheWriteTokens: 500,
  costUsd: 0.02,
}

function callEvents(turn: number, call: number): EventInput[] {
  const id = `call-${turn}-${call}`
  const isTask = turn === 2 && call % 3 === 2
  const name = isTask ? 'Task' : (TOOLS[call % TOOLS.length] ?? 'Bash')
  const given = isTask
    ? { prompt: `Look at part ${call}` }
    : { command: `step ${call} of turn ${turn}`, path: `src/part-${call}.ts` }
  const said = call % 2 === 0 ? [text('model_message', `Next I look at part ${call}.`, { usage: USAGE })] : []
  const progress = Array.from({ length: PROGRESS }, (_, n) =>
    text(`x.agent.${n === 0 ? 'snapshot' : 'progress'}`, '', { line: n, entry: { uuid: `${id}-${n}` } }),
  )
  const output = turn === 1 && call === 100 ? NEEDLE : `line ${call}\n`.repeat(20)
  const result = text('tool_result', output, { toolCallId: id, ...(call % 20 === 19 && { isError: true }) })
  return [...said, { type: 'tool_call', content: name, parts: { id, name, arguments: given } }, ...progress, result]
}

function turnEvents(turn: number, calls: number): EventInput[] {
  return [
    text('user_message', `Please do step ${turn} of the plan.`),
    text('model_message', 'I begin.', { usage: USAGE }),
    ...Array.from({ length: calls }, (_, call) => callEvents(turn, call)).flat(),
    text('model_message', `Step ${turn} is done.\n\n- changed\n- tested`, { usage: USAGE }),
  ]
}

/** A session of a coding agent: about 2,400 events, most of them progress, in three turns, with ten sub-agents. */
export async function createCodingSession(tl: Throughline): Promise<{ session: Session; children: Session[] }> {
  const session = await tl.sessions.create({
    userId: 'ada',
    task: 'Carry out the plan for the seats service, step by step',
    metadata: { source: 'coding-agent', branch: 'seats' },
  })
  const calls: { readonly sequence: number }[] = []
  for (const events of [turnEvents(1, CALLS), turnEvents(2, CALLS / 6), turnEvents(3, 2)]) {
    for (let from = 0; from < events.length; from += 500) {
      const stored = await session.append(events.slice(from, from + 500))
      calls.push(...stored.filter(({ type, content }) => type === 'tool_call' && content === 'Task'))
    }
  }
  const children: Session[] = []
  for (let n = 0; n < SUB_AGENTS; n++) {
    const sequence = calls[n % calls.length]?.sequence
    const child = await tl.sessions.create({
      userId: 'ada',
      conversationId: `sub-${session.id}-${n}`,
      chatmode: `agent-${n}`,
      task: `Sub-agent ${n}: look at one part`,
      metadata: { source: 'coding-agent', part: n },
      parent: { sessionId: session.id, ...(sequence !== undefined && { sequence }) },
    })
    await child.append([
      text('user_message', `Look at part ${n}`),
      text('model_message', `Part ${n} is fine.`, { usage: USAGE }),
    ])
    if (n % 2 === 0) await child.end()
    children.push(child)
  }
  return { session, children }
}
