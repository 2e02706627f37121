import { z } from 'zod'
import type { SessionScratchpad } from '../../domain/fold.ts'
import type { Json, JsonObject } from '../../domain/json.ts'
import { LONGEST_ANSWER, sizeOf } from '../clip.ts'
import { given, sessionOf } from '../desk.ts'
import { DATA } from '../shown.ts'
import { anyObject, idempotencyKey, sessionId, tool } from '../tool.ts'

const output = z.object({
  scratchpad: z.looseObject({}),
  version: z.int(),
  leftOut: z.array(z.string()).describe('Keys that found no room: read them alone.'),
})

/** The scratchpad, without the keys that an answer has no room for. */
function shown({ scratchpad, version }: SessionScratchpad, keys?: readonly string[]) {
  const wanted = Object.entries(scratchpad as JsonObject).filter(([key]) => keys?.includes(key) ?? true)
  const leftOut: string[] = []
  const kept: [string, Json][] = []
  let room = LONGEST_ANSWER
  for (const [key, value] of wanted.toSorted(([, a], [, b]) => sizeOf(a) - sizeOf(b))) {
    room -= key.length + sizeOf(value)
    if (room < 0) leftOut.push(key)
    else kept.push([key, value])
  }
  return { scratchpad: Object.fromEntries(kept), version, leftOut }
}

const readScratchpad = tool({
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
    const data = shown(await (await sessionOf(desk, id)).state(), keys)
    const more = data.leftOut.length === 0 ? [] : [`(no room for: ${data.leftOut.join(', ')})`]
    return {
      data,
      text: [`Version ${data.version}. ${DATA}`, JSON.stringify(data.scratchpad, undefined, 2), ...more].join('\n'),
    }
  },
})

const updateScratchpad = tool({
  name: 'update_scratchpad',
  title: 'Change the scratchpad',
  description:
    'Merges a patch into the working memory of a session: objects merge key by key, null removes a key, anything else takes the place of what is there. Use it for what is true right now, such as the current task or what blocks it; what should outlive the session belongs into remember.',
  input: z.object({
    sessionId,
    patch: anyObject('A JSON merge patch (RFC 7396), an object.'),
    idempotencyKey,
  }),
  output: z.object({ version: z.int(), keys: z.array(z.string()).describe('All keys that it has now.') }),
  effect: 'changes',
  repeatable: true,
  async run(desk, { sessionId: id, patch, idempotencyKey: key }) {
    const session = await sessionOf(desk, id)
    const { scratchpad, version } = await session.updateState(patch as JsonObject, given({ idempotencyKey: key }))
    const keys = Object.keys(scratchpad)
    return { data: { version, keys }, text: `Version ${version}, with the keys ${keys.join(', ') || '(none)'}.` }
  },
})

export const scratchpadTools = [readScratchpad, updateScratchpad]
