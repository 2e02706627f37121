import { z } from 'zod'
import type { Session, WorkStep } from '../../api.ts'
import { IdempotencyMismatchError } from '../../domain/errors.ts'
import { ROLES } from '../../domain/event.ts'
import { encodeJson, type Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import { checkLive } from '../../domain/record.ts'
import { name } from '../../features/kernel/parse.ts'
import { defineTool, idempotencyKey, sessionId } from '../tool.ts'
import { given, sessionOf, type ToolContext } from '../tool-context.ts'

const toolCall = z.object({
  id: name().check(z.describe('Id of the call, which its result names.')),
  name: name(),
  arguments: z.unknown().meta({ description: 'As JSON, or as JSON text.' }),
})

const message = z.object({
  role: z.enum(ROLES),
  content: z.string().default('').describe('May be empty only beside tool calls, or in the result of one.'),
  toolCalls: z.array(toolCall).max(100).optional().describe('Calls that the assistant makes.'),
  toolCallId: z.optional(name()).describe('Which call this is the result of; for role tool.'),
  agent: z.optional(name()).describe('Who speaks, in free text.'),
})

function messageOf({ role, content, toolCalls, toolCallId, agent }: z.output<typeof message>): Message {
  const calls = toolCalls?.map(({ arguments: args, ...call }) => ({ ...call, arguments: textOf(args) }))
  return {
    role,
    content,
    ...(calls !== undefined && { toolCalls: calls }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(agent !== undefined && { agentId: agent }),
  }
}

function textOf(args: unknown): string {
  return typeof args === 'string' ? args : encodeJson((args ?? {}) as Json, 'arguments', LIMITS.parts)
}

const say = defineTool({
  name: 'say',
  title: 'Keep messages',
  description:
    'Writes what was said or done into the log: what the user said, what you said, the tools that you called and what they gave. Use it as the work goes on, so that it can be resumed; several messages in one call are kept all or none.',
  input: z.object({
    sessionId,
    messages: z.array(message).min(1).max(100).describe('In their order.'),
    idempotencyKey,
  }),
  output: z.object({ sequences: z.array(z.int()).describe('Places of the messages in the log.') }),
  effect: 'adds',
  async run(desk, { sessionId: id, messages, idempotencyKey: key }) {
    const session = await sessionOf(desk, id)
    const events = await session.addMessage(messages.map(messageOf), given({ idempotencyKey: key }))
    const sequences = events.map(({ sequence }) => sequence)
    return { data: { sequences }, text: `Kept as ${sequences.join(', ')}.` }
  },
})

const PATHS = z.array(z.string().min(1)).max(200).optional()

const noteInput = z.object({
  sessionId,
  text: z.string().min(1).describe('The note, in a sentence or two.'),
  kind: z.enum(['note', 'decision', 'plan']).default('note'),
  filesRead: PATHS.describe('Paths that were read for it.'),
  filesWritten: PATHS.describe('Paths that were written.'),
  commands: z
    .array(z.object({ command: z.string().min(1), exitCode: z.int().optional() }))
    .max(100)
    .optional()
    .describe('Commands that were run.'),
  idempotencyKey,
})

const note = defineTool({
  name: 'note',
  title: 'Note a step of the work',
  description:
    'Writes a step of the work down: a decision with its reason, a plan, or what was found, with the files and commands of it. Use it whenever something is settled that you or the next agent must know later; summaries are made of it.',
  input: noteInput,
  output: z.object({
    sequence: z.int().describe('Place of the step in the log.'),
    id: z.string().describe('Id of the step.'),
  }),
  effect: 'adds',
  async run(desk, input) {
    const session = await sessionOf(desk, input.sessionId)
    const { sequence, id } = await writeNote(desk, session, input)
    return { data: { sequence, id }, text: `Noted as ${sequence}.` }
  },
})

type NoteInput = z.output<typeof noteInput>

async function writeNote(
  { unwrittenNotes: unwritten }: ToolContext,
  session: Session,
  input: NoteInput,
): Promise<WorkStep> {
  const { id } = session
  const key = given({ idempotencyKey: input.idempotencyKey })
  const words = input.kind === 'decision' ? `Decision: ${input.text}` : input.text
  // what an earlier call could not write still waits: the same once more finds it there, anything else goes behind it
  if (unwritten.has(id) && unwritten.get(id) !== words) {
    await session.flushStep()
    unwritten.delete(id)
  }
  if (!unwritten.has(id)) {
    // a key that is known gives its step although nothing waits; what is observed before that would wait for the next one
    const known = input.idempotencyKey === undefined ? undefined : await session.flushStep(key)
    if (known !== undefined) return checkSameNote(known, words, id, input.idempotencyKey)
    // in a session that has ended it would wait for ever
    checkLive(await session.record(), new Date().toISOString())
    observe(session, input, words)
    unwritten.set(id, words)
  }
  const step = (await session.flushStep(key)) as WorkStep
  unwritten.delete(id)
  return step
}

function checkSameNote(step: WorkStep, words: string, sessionId: string, key = ''): WorkStep {
  if (step.observations.some((one) => 'text' in one && one.text === words)) return step
  throw new IdempotencyMismatchError({ sessionId, key })
}

function observe(
  { observe: seen }: Session,
  { kind, filesRead, filesWritten, commands }: NoteInput,
  words: string,
): void {
  for (const path of filesRead ?? []) seen.fileRead({ path })
  for (const path of filesWritten ?? []) seen.fileWrite({ path })
  for (const { command, exitCode } of commands ?? []) seen.command({ command, ...given({ exitCode }) })
  if (kind === 'plan') seen.plan(words)
  else seen.note(words)
}

export const workTools = [say, note]
