import type { EventInput } from '../../dist/index.js'
import { makeSentence, seededRandom } from '../synthetic-text.ts'
import type { Recording } from './transcripts.ts'

/** Most model responses of a turn, and most tokens of a result. */
const LONGEST_TURN = 180
const LONGEST_RESULT = 30_000
/** Tokens of half of the results, and how far the others spread (sigma of a log-normal distribution). */
const RESULT = 250
const SPREAD = 1.6
const CHARACTERS_PER_TOKEN = 3.5

const TOOLS = ['Read', 'Edit', 'Bash', 'Grep', 'Write'] as const

/**
 * Makes a session of a coding agent: short requests, turns of 1 to 180 tool calls, results of up to 30,000 tokens,
 * and progress entries between them. The same seed gives the same session.
 *
 * @param length minimum number of events; the last turn ends after it
 */
export function syntheticSession(seed: number, length: number): Recording {
  const next = seededRandom(seed)
  const events: EventInput[] = []
  while (events.length < length) {
    events.push({ type: 'user_message', content: sentences(next, 1 + Math.floor(next() * 3)) })
    // few turns are long
    const calls = Math.ceil(LONGEST_TURN ** next())
    for (let made = 0; made < calls; ) {
      if (next() < 0.3) events.push({ type: 'model_message', content: sentences(next, 1) })
      const parallel = next() < 0.15 ? 3 : 1
      events.push(...callsAndResults(next, `call-${seed}-${events.length}`, parallel))
      made += parallel
    }
    events.push({ type: 'model_message', content: sentences(next, 2 + Math.floor(next() * 8)) })
  }
  return { id: `synthetic ${seed}`, task: events[0]?.content ?? '', events }
}

function callsAndResults(next: () => number, id: string, parallel: number): EventInput[] {
  const ids = Array.from({ length: parallel }, (_, i) => `${id}-${i}`)
  return [
    ...ids.map((callId) => toolCall(next, callId)),
    ...(next() < 0.5 ? [{ type: 'x.progress', parts: { tool: id } } as const] : []),
    ...ids.map((toolCallId): EventInput => ({ type: 'tool_result', content: result(next), parts: { toolCallId } })),
  ]
}

function toolCall(next: () => number, id: string): EventInput {
  const name = TOOLS[Math.floor(next() * TOOLS.length)] ?? 'Read'
  const path = `src/${makeSentence(next).split(' ').slice(0, 2).join('/')}.ts`
  const given = {
    Read: { file_path: path },
    Edit: { file_path: path, old_string: sentences(next, 2), new_string: sentences(next, 3) },
    Bash: { command: `npm test -- ${path}` },
    Grep: { pattern: makeSentence(next).slice(0, 20), path: 'src' },
    Write: { file_path: path, content: sentences(next, 20) },
  }[name]
  return { type: 'tool_call', content: '', parts: { id, name, arguments: given } }
}

function result(next: () => number): string {
  // Box-Muller
  const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const tokens = Math.min(LONGEST_RESULT, RESULT * Math.exp(SPREAD * normal))
  const lines: string[] = []
  for (let length = 0; length < tokens * CHARACTERS_PER_TOKEN; length += lines.at(-1)?.length ?? 0) {
    lines.push(makeSentence(next))
  }
  return lines.join('\n')
}

function sentences(next: () => number, count: number): string {
  return Array.from({ length: count }, () => makeSentence(next)).join(' ')
}
