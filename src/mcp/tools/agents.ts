import { z } from 'zod'
import type { JsonObject } from '../../domain/json.ts'
import { name } from '../../features/kernel/parse.ts'
import { quote } from '../quote.ts'
import { MAX_RESPONSE, truncate } from '../response-limits.ts'
import { defineTool, idempotencyKey, jsonObject, sessionId } from '../tool.ts'
import { given, sessionOf } from '../tool-context.ts'

const LIST = z.array(z.string()).max(200).optional()

const handOff = defineTool({
  name: 'hand_off',
  title: 'Hand a session to another agent',
  description:
    'Makes another agent the active one, and leaves it what it has to know. Use it when another agent should go on; it takes the rest with take_handoff. Only agents that the store knows: a wrong name is answered with the right ones.',
  input: z.object({
    sessionId,
    to: name().check(z.describe('The agent that goes on.')),
    reason: z.string().min(1).describe('Why, in a sentence.'),
    artifacts: LIST.describe('What was made, such as paths.'),
    decisions: LIST.describe('What was decided, and holds.'),
    context: jsonObject('Whatever else the next agent has to know, as a JSON object.').optional(),
    idempotencyKey,
  }),
  output: z.object({ from: z.string(), to: z.string(), sequence: z.int() }),
  effect: 'adds',
  async run(desk, { sessionId: id, to, reason, artifacts, decisions, context, idempotencyKey: key }) {
    const named = given({ artifacts_created: artifacts, key_decisions: decisions })
    const isPlain =
      context === undefined || (typeof context === 'object' && context !== null && !Array.isArray(context))
    // what is no object is refused with its field by the operation
    const whole = isPlain ? { ...(context as JsonObject | undefined), ...named } : (context as JsonObject)
    const session = await sessionOf(desk, id)
    const made = await session.handoff({ to, reason, context: whole }, given({ idempotencyKey: key }))
    const { from, sequence } = made
    return { data: { from, to: made.to, sequence }, text: `Handed over to ${made.to}.` }
  },
})

const takeHandoff = defineTool({
  name: 'take_handoff',
  title: 'Take a handoff',
  description:
    'Gives what the agent before left for you, and takes it away, so that only one agent gets it. Use it first when a session was handed to you.',
  input: z.object({ sessionId, idempotencyKey }),
  output: z.object({ handoff: z.looseObject({}).optional().describe('Absent if none waits.'), isClipped: z.boolean() }),
  effect: 'changes',
  async run(desk, { sessionId: id, idempotencyKey: key }) {
    const handoff = await (await sessionOf(desk, id)).takeHandoff(given({ idempotencyKey: key }))
    if (handoff === undefined) return { data: { isClipped: false }, text: 'No handoff waits.' }
    const whole = JSON.stringify(handoff)
    const isClipped = whole.length > MAX_RESPONSE
    // as text in JSON it may be twice as long, because of its quotes
    const text = isClipped ? truncate(whole, MAX_RESPONSE / 2) : whole
    // it is gone from the scratchpad by now, and whole in the log alone
    const shown = isClipped ? { clipped: text } : handoff
    return { data: { handoff: shown, isClipped }, text: quote(text) }
  },
})

export const agentTools = [handOff, takeHandoff]
