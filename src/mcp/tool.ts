import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { name, uuid } from '../features/kernel/parse.ts'
import { clientSchema } from './client-schema.ts'
import type { ToolContext } from './tool-context.ts'
import { errorResult, toClientError } from './tool-error.ts'

/** What a tool does to what is stored, for hosts that ask before they call. */
type Effect = 'reads' | 'adds' | 'changes' | 'removes'

/** One tool: what it takes and gives, and when a model should use it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  /** Absent: it gives words alone. */
  readonly output?: z.ZodObject
  readonly effect: Effect
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotent: boolean
  run(desk: ToolContext, input: unknown): Promise<Outcome>
}

/** What came of a call: for programs, and in words. */
interface Outcome<Data = Record<string, unknown> | undefined> {
  data: Data
  text: string
}

/** A tool, with the types of what it takes and gives. */
export function defineTool<In extends z.ZodObject, Out extends z.ZodObject | undefined = undefined>(
  spec: Omit<Tool, 'input' | 'output' | 'run' | 'idempotent'> & {
    readonly input: In
    readonly output?: Out
    /** @default true for one that reads, else false */
    readonly idempotent?: boolean
    run(desk: ToolContext, input: z.output<In>): Promise<Outcome<Out extends z.ZodObject ? z.input<Out> : undefined>>
  },
): Tool {
  const { idempotent = spec.effect === 'reads' } = spec
  return { ...spec, idempotent } as Tool
}

/** Puts a tool on a server. Our errors become results, so that the model reads them; nothing a tool does ends the server. */
export function registerTool(server: McpServer, desk: ToolContext, one: Tool): void {
  const { title, description, input, output, effect, idempotent } = one
  const annotations = {
    readOnlyHint: effect === 'reads',
    destructiveHint: effect === 'removes' || effect === 'changes',
    idempotentHint: idempotent,
    openWorldHint: false,
  }
  const config = {
    title,
    description,
    inputSchema: clientSchema(input),
    ...(output !== undefined && { outputSchema: clientSchema(output) }),
    annotations,
  }
  server.registerTool(one.name, config, async (given): Promise<CallToolResult> => {
    try {
      const { data, text } = await runInOrder(desk, one, given)
      return { ...(data !== undefined && { structuredContent: data }), content: [{ type: 'text', text }] }
    } catch (error) {
      const told = toClientError(error)
      if (told.isUnexpected) desk.report(error)
      return errorResult(told)
    }
  })
}

/**
 * What is written into one session is written in the order in which it came, also where a client does not wait for answers. And what was
 * observed waits in the process until it is written: two notes at a time would write each other's.
 */
async function runInOrder(desk: ToolContext, one: Tool, given: Record<string, unknown>): Promise<Outcome> {
  const { sessionId: id } = given
  const run = () => one.run(desk, given)
  return one.effect === 'reads' || typeof id !== 'string' ? await run() : await desk.sessionMutex.run(id, run)
}

/** The id of a session, as tools take it. */
export const sessionId = uuid().check(z.describe('Id of the session.'))

/** The key of a call that writes. */
export const idempotencyKey = z
  .optional(name())
  .describe('A text of your own: with the same key and input the call is safe to repeat.')

/** Any JSON object. The operation checks it: it knows how deep it may be. */
export const jsonObject = (description: string) => z.unknown().meta({ type: 'object', description })

/** How many of something a page has. */
export const pageLimit = (most: number, usual: number) =>
  z.int().min(1).max(most).default(usual).describe(`How many at most, 1 to ${most}.`)
