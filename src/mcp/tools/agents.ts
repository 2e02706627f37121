import { z } from 'zod'
import type { JsonObject } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import { name } from '../../features/kernel/parse.ts'
import { quote } from '../quote.ts'
import { MAX_RESPONSE, truncate } from '../response-limits.ts'
import { defineTool, idempotencyKey, jsonObject, sessionId } from '../tool.ts'

const texts = z.array(z.string()).max(200).optional()

const handOff = defineTool({
  name: 'hand_off',
  title: 'Hand off to another agent',
  description:
    'Make another agent the active one and leave it context. Call when another agent should continue; it gets the context with take_handoff. If the store limits agents, an unknown one is rejected with the list of known ones.',
  input: z.object({
    sessionId,
    to: name().check(z.describe('Agent that continues.')),
    reason: z.string().min(1).describe('Why, in one sentence.'),
    artifacts: texts.describe('What was created, such as file paths.'),
    decisions: texts.describe('Decisions that still hold.'),
    context: jsonObject('Anything else the next agent needs, as a JSON object.').optional(),
    idempotencyKey,
  }),
  output: z.object({ from: z.string(), to: z.string(), sequence: z.int() }),
  effect: 'adds',
  async run({ tl }, { sessionId: id, to, reason, artifacts, decisions, context, idempotencyKey: key }) {
    const named = defined({ artifacts_created: artifacts, key_decisions: decisions })
    const isObject =
      context === undefined || (typeof context === 'object' && context !== null && !Array.isArray(context))
    // the operation rejects anything that is not an object, and names the field
    const merged = isObject ? { ...(context as JsonObject | undefined), ...named } : (context as JsonObject)
    const session = await tl.sessions.get(id)
    const options = defined({ idempotencyKey: key })
    const { from, to: active, sequence } = await session.handoff({ to, reason, context: merged }, options)
    return { data: { from, to: active, sequence }, text: `Handed off to ${active}.` }
  },
})

const takeHandoff = defineTool({
  name: 'take_handoff',
  title: 'Take a handoff',
  description:
    'Get the context that the previous agent left, and remove it so that only one agent gets it. Call first when a session was handed to you.',
  input: z.object({ sessionId, idempotencyKey }),
  output: z.object({
    handoff: z.looseObject({}).optional().describe('Absent if there is none.'),
    isClipped: z.boolean(),
  }),
  effect: 'changes',
  async run({ tl }, { sessionId: id, idempotencyKey: key }) {
    const handoff = await (await tl.sessions.get(id)).takeHandoff(defined({ idempotencyKey: key }))
    if (handoff === undefined) return { data: { isClipped: false }, text: 'There is no handoff.' }
    const json = JSON.stringify(handoff)
    const isClipped = json.length > MAX_RESPONSE
    // escaped as a JSON string, its quotes may double the length
    const text = isClipped ? truncate(json, MAX_RESPONSE / 2) : json
    // only the log still holds all of it
    return { data: { handoff: isClipped ? { clipped: text } : handoff, isClipped }, text: quote(text) }
  },
})

export const agentTools = [handOff, takeHandoff]
