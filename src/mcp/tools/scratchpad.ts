import { z } from 'zod'
import type { SessionScratchpad } from '../../domain/fold.ts'
import type { Json, JsonObject } from '../../domain/json.ts'
import { quote } from '../quote.ts'
import { jsonSize, MAX_RESPONSE, truncate } from '../response-limits.ts'
import { defineTool, idempotencyKey, jsonObject, sessionId } from '../tool.ts'
import { given, sessionOf } from '../tool-context.ts'

const output = z.object({
  scratchpad: z.looseObject({}),
  version: z.int(),
  leftOut: z
    .array(z.string())
    .describe('Keys that found no room: read them alone. One too large for that comes as the beginning of its JSON.'),
})

/** Keys that are named. */
const MAX_KEYS = 200

/** The scratchpad, without the keys that an answer has no room for. */
export function scratchpadView({ scratchpad, version }: SessionScratchpad, keys?: readonly string[]) {
  const wanted = Object.entries(scratchpad as JsonObject).filter(([key]) => keys?.includes(key) ?? true)
  const leftOut: string[] = []
  const kept: [string, Json][] = []
  let room = MAX_RESPONSE
  for (const [key, value] of wanted.toSorted(([, a], [, b]) => jsonSize(a) - jsonSize(b))) {
    room -= jsonSize(key) + jsonSize(value)
    if (room < 0) leftOut.push(key)
    else kept.push([key, value])
  }
  const [first, ...others] = wanted
  // asked for alone, it is there at least in part
  if (first !== undefined && others.length === 0 && kept.length === 0) kept.push([first[0], truncateJson(first[1])])
  return { scratchpad: Object.fromEntries(kept), version, leftOut: leftOut.slice(0, MAX_KEYS) }
}

function truncateJson(value: Json): string {
  // as text in JSON it may be twice as long, because of its quotes
  return truncate(JSON.stringify(value), MAX_RESPONSE / 2)
}

const readScratchpad = defineTool({
  name: 'read_scratchpad',
  title: 'Read the scratchpad',
  description:
    'Gives the working memory of a session: one JSON object that all its agents share. Well known keys are current_task, spec_file, files_in_progress, blockers and validation_gates_passed.',
  input: z.object({
    sessionId,
    keys: z.array(z.string()).max(200).optional().describe('Only these keys; all if absent.'),
  }),
  output,
  effect: 'reads',
  async run(desk, { sessionId: id, keys }) {
    const data = scratchpadView(await (await sessionOf(desk, id)).state(), keys)
    const more = data.leftOut.length === 0 ? [] : [`(no room for: ${data.leftOut.join(', ')})`]
    return { data, text: `Version ${data.version}. ${quote(JSON.stringify(data.scratchpad), ...more)}` }
  },
})

const updateScratchpad = defineTool({
  name: 'update_scratchpad',
  title: 'Change the scratchpad',
  description:
    'Merges a patch into the working memory of a session: objects merge key by key, null removes a key, anything else takes the place of what is there. Use it for what is true right now, such as the current task or what blocks it; what should outlive the session belongs into remember.',
  input: z.object({
    sessionId,
    patch: jsonObject('A JSON merge patch (RFC 7396), an object.'),
    idempotencyKey,
  }),
  output: z.object({ version: z.int(), keys: z.array(z.string()).describe('Keys that it has now, up to 200.') }),
  effect: 'changes',
  idempotent: true,
  async run(desk, { sessionId: id, patch, idempotencyKey: key }) {
    const session = await sessionOf(desk, id)
    const { scratchpad, version } = await session.updateState(patch as JsonObject, given({ idempotencyKey: key }))
    const keys = Object.keys(scratchpad)
    return { data: { version, keys: keys.slice(0, MAX_KEYS) }, text: `Version ${version}, ${keys.length} keys.` }
  },
})

export const scratchpadTools = [readScratchpad, updateScratchpad]
