import { fileURLToPath } from 'node:url'
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

/** The command line, as its source. */
export const CLI = fileURLToPath(new URL('../../src/cli/run.ts', import.meta.url))

/** What the clients have in common. */
export interface McpClient {
  listTools(): Promise<{ tools: ListedTool[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<ToolResult>
  listResources(): Promise<{ resources: { uri: string; name: string; mimeType?: string }[] }>
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string; name: string }[] }>
  readResource(of: { uri: string }): Promise<{ contents: { uri: string; mimeType?: string; text: string }[] }>
  complete(of: {
    ref: { type: 'ref/resource'; uri: string }
    argument: { name: string; value: string }
  }): Promise<{ completion: { values: string[] } }>
  listPrompts(): Promise<{ prompts: { name: string }[] }>
  getPrompt(of: {
    name: string
    arguments?: Record<string, string>
  }): Promise<{ messages: { content: { text: string } }[] }>
  getServerCapabilities(): { resources?: { subscribe?: boolean } } | undefined
  close(): Promise<void>
}

export interface ListedTool {
  name: string
  title?: string
  description?: string
  inputSchema: { properties?: Record<string, { description?: string }> }
  outputSchema?: unknown
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean }
}

export interface ToolResult {
  isError?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: each tool has a shape of its own, which the client checks
  structuredContent?: any
  content: { type: string; text: string }[]
  _meta?: Record<string, { code?: string }>
}

/** A client, and the revision of the protocol that it speaks. */
export interface ClientKind {
  readonly name: string
  connect(where: Endpoint): Promise<McpClient>
  /** Called each time one of the resources changes. */
  watch(client: McpClient, uri: string, changed: () => void): Promise<void>
}

/** A child process that is started with these arguments, or the address of a server. */
export type Endpoint =
  | { args: readonly string[]; env?: Record<string, string> }
  | { url: string; headers?: Record<string, string>; fetch?: typeof globalThis.fetch }

const ME = { name: 'a client of the tests', version: '1' }

const environment = (env: Record<string, string> = {}) => ({ ...(process.env as Record<string, string>), ...env })
const childOf = ({ args, env }: Extract<Endpoint, { args: unknown }>) => ({
  command: process.execPath,
  args: [CLI, ...args],
  env: environment(env),
})
const initOf = ({ headers = {}, fetch }: Extract<Endpoint, { url: string }>) => ({
  requestInit: { headers },
  ...(fetch !== undefined && { fetch: fetch as (url: string | URL, init?: RequestInit) => Promise<Response> }),
})

/** The official client that most hosts use. */
const v1Client: ClientKind = {
  name: 'the v1 SDK client',
  async connect(where) {
    const client = new ClientV1(ME)
    const transport = 'url' in where ? new HttpV1(new URL(where.url), initOf(where)) : new StdioV1(childOf(where))
    await client.connect(transport as Parameters<ClientV1['connect']>[0])
    return client as unknown as McpClient
  },
  async watch(client, uri, changed) {
    const own = client as unknown as ClientV1
    own.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
      if (params.uri === uri) changed()
    })
    await own.subscribeResource({ uri })
  },
}

/** The client of the SDK that the server uses, with the protocol up to 2025-11-25 or from 2026-07-28 on. */
function v2Client(name: string, mode: 'legacy' | { pin: string }): ClientKind {
  return {
    name,
    async connect(where) {
      const client = new ClientV2(ME, { versionNegotiation: { mode } })
      const transport = 'url' in where ? new HttpV2(new URL(where.url), initOf(where)) : new StdioV2(childOf(where))
      await client.connect(transport)
      return client as unknown as McpClient
    },
    async watch(client, uri, changed) {
      const own = client as unknown as ClientV2
      own.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        if (params.uri === uri) changed()
      })
      if (mode === 'legacy') await own.subscribeResource({ uri })
      else await own.listen({ resourceSubscriptions: [uri] })
    },
  }
}

export const CLIENT_KINDS: readonly ClientKind[] = [
  v1Client,
  v2Client('the v2 SDK client with protocol 2025-11-25', 'legacy'),
  v2Client('the v2 SDK client with protocol 2026-07-28', { pin: '2026-07-28' }),
]
