import { z } from 'zod'
import type { Session, WorkStep } from '../../api.ts'
import { IdempotencyMismatchError } from '../../domain/errors.ts'
import { ROLES } from '../../domain/event.ts'
import { encodeJson, type Json } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import { defined } from '../../domain/optional.ts'
import { checkLive } from '../../domain/record.ts'
import { name } from '../../features/kernel/parse.ts'
import { defineTool, idempotencyKey, sessionId } from '../tool.ts'
import type { ToolContext } from '../tool-context.ts'

const toolCall = z.object({
  id: name().check(z.describe('Id of the call; the result repeats it as toolCallId.')),
  name: name(),
  arguments: z.unknown().meta({ description: 'JSON value or JSON text.' }),
})

const message = z.object({
  role: z.enum(ROLES),
  content: z.string().default('').describe('May be empty only with tool calls, or in a tool result.'),
  toolCalls: z.array(toolCall).max(100).optional().describe('Tool calls made by the assistant.'),
  toolCallId: z.optional(name()).describe('For role tool: id of the call that this result belongs to.'),
  agent: z.optional(name()).describe('Speaker, free text.'),
})

function toMessage({ role, content, toolCalls, toolCallId, agent }: z.output<typeof message>): Message {
  const calls = toolCalls?.map(({ arguments: args, ...call }) => ({ ...call, arguments: argumentsText(args) }))
  return defined({ role, content, toolCalls: calls, toolCallId, agentId: agent })
}

function argumentsText(args: unknown): string {
  return typeof args === 'string' ? args : encodeJson((args ?? {}) as Json, 'arguments', LIMITS.parts)
}

const say = defineTool({
  name: 'say',
  title: 'Record messages',
  description:
    'Record messages in the session log: from the user, from you, your tool calls and their results. Call as you work, so that the session can be resumed. One call records all its messages or none.',
  input: z.object({
    sessionId,
    messages: z.array(message).min(1).max(100).describe('In order.'),
    idempotencyKey,
  }),
  output: z.object({ sequences: z.array(z.int()).describe('Sequence numbers of the messages.') }),
  effect: 'adds',
  async run({ tl }, { sessionId: id, messages, idempotencyKey: key }) {
    const session = await tl.sessions.get(id)
    const events = await session.addMessage(messages.map(toMessage), defined({ idempotencyKey: key }))
    const sequences = events.map(({ sequence }) => sequence)
    return { data: { sequences }, text: `Recorded as ${sequences.join(', ')}.` }
  },
})

const paths = z.array(z.string().min(1)).max(200).optional()

const noteInput = z.object({
  sessionId,
  text: z.string().min(1).describe('The note, in one or two sentences.'),
  kind: z.enum(['note', 'decision', 'plan']).default('note'),
  filesRead: paths.describe('Paths of files read.'),
  filesWritten: paths.describe('Paths of files written.'),
  commands: z
    .array(z.object({ command: z.string().min(1), exitCode: z.int().optional() }))
    .max(100)
    .optional()
    .describe('Commands run.'),
  idempotencyKey,
})

const note = defineTool({
  name: 'note',
  title: 'Record a step of the work',
  description:
    'Record a decision with its reason, a plan, or a finding, with its files and commands. Call whenever you settle something that you or another agent must know later; session summaries are built from notes.',
  input: noteInput,
  output: z.object({
    sequence: z.int().describe('Sequence number of the step.'),
    id: z.string().describe('Step id.'),
  }),
  effect: 'adds',
  async run(context, input) {
    const session = await context.tl.sessions.get(input.sessionId)
    const { sequence, id } = await writeNote(context, session, input)
    return { data: { sequence, id }, text: `Recorded as ${sequence}.` }
  },
})

type NoteInput = z.output<typeof noteInput>

async function writeNote({ unwrittenNotes }: ToolContext, session: Session, input: NoteInput): Promise<WorkStep> {
  const { id } = session
  const { idempotencyKey: key } = input
  const text = input.kind === 'decision' ? `Decision: ${input.text}` : input.text
  // a note that an earlier call failed to write is still staged: a repeat reuses it, another note comes after it
  if (unwrittenNotes.has(id) && unwrittenNotes.get(id) !== text) {
    await session.flushStep()
    unwrittenNotes.delete(id)
  }
  if (!unwrittenNotes.has(id)) {
    // a known key returns its step with nothing staged; staging first would leave the note for the next step
    const earlier = key === undefined ? undefined : await session.flushStep({ idempotencyKey: key })
    if (earlier !== undefined) return checkSameNote(earlier, text, id, key)
    // in an ended session the note would stay staged for ever
    checkLive(await session.record(), new Date().toISOString())
    stageNote(session, input, text)
    unwrittenNotes.set(id, text)
  }
  const step = (await session.flushStep(defined({ idempotencyKey: key }))) as WorkStep
  unwrittenNotes.delete(id)
  return step
}

function checkSameNote(step: WorkStep, text: string, sessionId: string, key = ''): WorkStep {
  if (step.observations.some((observation) => 'text' in observation && observation.text === text)) return step
  throw new IdempotencyMismatchError({ sessionId, key })
}

function stageNote({ observe }: Session, { kind, filesRead, filesWritten, commands }: NoteInput, text: string): void {
  for (const path of filesRead ?? []) observe.fileRead({ path })
  for (const path of filesWritten ?? []) observe.fileWrite({ path })
  for (const command of commands ?? []) observe.command(defined(command))
  if (kind === 'plan') observe.plan(text)
  else observe.note(text)
}

export const workTools = [say, note]
