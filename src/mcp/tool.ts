import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defined } from '../domain/optional.ts'
import { name, uuid } from '../features/kernel/parse.ts'
import { clientSchema } from './client-schema.ts'
import { quote } from './quote.ts'
import type { ToolContext } from './tool-context.ts'
import { errorResult, toClientError } from './tool-error.ts'

/** What a tool does to stored data, for hosts that ask the user before they call it. */
type Effect = 'reads' | 'adds' | 'changes' | 'removes'

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  /** Absent: the tool returns text only. */
  readonly output?: z.ZodObject
  readonly effect: Effect
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotent: boolean
  run(context: ToolContext, input: unknown): Promise<Outcome>
}

/** The result of a call, for programs and as text. */
interface Outcome<Data = Record<string, unknown> | undefined> {
  data: Data
  text: string
}

/** Checks the types of `run` against the schemas. */
export function defineTool<In extends z.ZodObject, Out extends z.ZodObject | undefined = undefined>(
  spec: Omit<Tool, 'input' | 'output' | 'run' | 'idempotent'> & {
    readonly input: In
    readonly output?: Out
    /** @default true for a tool that reads, else false */
    readonly idempotent?: boolean
    run(context: ToolContext, input: z.output<In>): Promise<Outcome<Out extends z.ZodObject ? z.input<Out> : undefined>>
  },
): Tool {
  return { idempotent: spec.effect === 'reads', ...spec } as Tool
}

/** Errors become results, so that the model reads them and no tool can end the server. */
export function registerTool(server: McpServer, context: ToolContext, tool: Tool): void {
  const { title, description, input, output, effect, idempotent } = tool
  const config = {
    title,
    description,
    inputSchema: clientSchema(input),
    ...defined({ outputSchema: output && clientSchema(output) }),
    annotations: {
      readOnlyHint: effect === 'reads',
      destructiveHint: effect === 'removes' || effect === 'changes',
      idempotentHint: idempotent,
      openWorldHint: false,
    },
  }
  server.registerTool(tool.name, config, async (args): Promise<CallToolResult> => {
    try {
      context.runs.touch()
      const { data, text } = await runInOrder(context, tool, args)
      const texts = [text, ...stopText(context, args)]
      return { ...defined({ structuredContent: data }), content: texts.map((one) => ({ type: 'text', text: one })) }
    } catch (error) {
      return errorResult(toClientError(error, context.report))
    }
  })
}

/** Tells a client that its run on the session has to stop. */
function stopText({ runs }: ToolContext, { sessionId: id }: Record<string, unknown>): string[] {
  const signal = typeof id === 'string' ? runs.held(id)?.signal : undefined
  if (signal?.aborted !== true) return []
  return [`Stop working on this session, then call finish_run. ${quote((signal.reason as Error).message)}`]
}

/**
 * Runs writes to one session in the order they arrived, also if the client does not wait for responses. Notes need
 * this too: they are staged in the process first, and two at a time would write each other's.
 */
async function runInOrder(context: ToolContext, tool: Tool, args: Record<string, unknown>): Promise<Outcome> {
  const { sessionId: id } = args
  const run = () => tool.run(context, args)
  return tool.effect === 'reads' || typeof id !== 'string' ? await run() : await context.sessionMutex.run(id, run)
}

export const sessionId = uuid().check(z.describe('Session id.'))

export const idempotencyKey = z
  .optional(name())
  .describe('Any unique text. Repeating the call with the same key and input writes once.')

/** Any JSON object. The operation checks it, because it knows how deep it may be. */
export const jsonObject = (description: string) => z.unknown().meta({ type: 'object', description })

/** The number of entries on a page. */
export const pageLimit = (max: number, usual: number) =>
  z.int().min(1).max(max).default(usual).describe(`Maximum number of results, 1 to ${max}.`)
