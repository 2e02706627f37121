import { z } from 'zod'
import type { SessionScratchpad } from '../../domain/fold.ts'
import type { Json, JsonObject } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { quote } from '../quote.ts'
import { jsonSize, MAX_RESPONSE, truncate } from '../response-limits.ts'
import { defineTool, idempotencyKey, jsonObject, sessionId } from '../tool.ts'

const output = z.object({
  scratchpad: z.looseObject({}),
  version: z.int(),
  leftOut: z
    .array(z.string())
    .describe('Keys omitted to fit the response: read them one at a time. A value too large for that is truncated.'),
})

/** Keys named in a response. */
const MAX_KEYS = 200

/** The scratchpad, smallest values first, without the keys that do not fit into a response. */
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
  // a key requested alone is returned at least in part
  if (first !== undefined && others.length === 0 && kept.length === 0) kept.push([first[0], truncateJson(first[1])])
  return { scratchpad: Object.fromEntries(kept), version, leftOut: leftOut.slice(0, MAX_KEYS) }
}

function truncateJson(value: Json): string {
  // escaped as a JSON string, its quotes may double the length
  return truncate(JSON.stringify(value), MAX_RESPONSE / 2)
}

const readScratchpad = defineTool({
  name: 'read_scratchpad',
  title: 'Read the scratchpad',
  description:
    'Get the working memory of a session: one JSON object shared by all its agents. Common keys: current_task, spec_file, files_in_progress, blockers, validation_gates_passed.',
  input: z.object({
    sessionId,
    keys: z.array(z.string()).max(200).optional().describe('Only these keys. Default: all.'),
  }),
  output,
  effect: 'reads',
  async run({ tl }, { sessionId: id, keys }) {
    const data = scratchpadView(await (await tl.sessions.get(id)).state(), keys)
    const omitted = data.leftOut.length === 0 ? [] : [`(omitted: ${data.leftOut.join(', ')})`]
    return { data, text: `Version ${data.version}. ${quote(JSON.stringify(data.scratchpad), ...omitted)}` }
  },
})

const updateScratchpad = defineTool({
  name: 'update_scratchpad',
  title: 'Update the scratchpad',
  description:
    'Merge a patch into the working memory of a session: objects merge by key, null removes a key, anything else replaces the value. Use it for what is true now, such as the current task or a blocker. For what should outlive the session, call remember.',
  input: z.object({
    sessionId,
    patch: jsonObject('JSON merge patch (RFC 7396), an object.'),
    idempotencyKey,
  }),
  output: z.object({ version: z.int(), keys: z.array(z.string()).describe('Keys after the update, up to 200.') }),
  effect: 'changes',
  idempotent: true,
  async run({ tl }, { sessionId: id, patch, idempotencyKey: key }) {
    const session = await tl.sessions.get(id)
    const { scratchpad, version } = await session.updateState(patch as JsonObject, defined({ idempotencyKey: key }))
    const keys = Object.keys(scratchpad)
    return { data: { version, keys: keys.slice(0, MAX_KEYS) }, text: `Version ${version}, ${keys.length} keys.` }
  },
})

export const scratchpadTools = [readScratchpad, updateScratchpad]
