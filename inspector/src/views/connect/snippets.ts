/** Code that connects to this server. */
export interface Snippet {
  readonly name: string
  readonly about: string
  readonly code: string
}

/** The server to connect to. */
export interface Server {
  /** Without a trailing slash. */
  readonly url: string
  /** Whether it requires a token. */
  readonly isSecured: boolean
  readonly userId: string
}

/** Code for each way to connect. It never contains a token, only its placeholder. */
export function snippets(server: Server): Snippet[] {
  return [typescript(server), claudeCode(server), mcp(server), curl(server), cli(server)]
}

function typescript({ url, isSecured, userId }: Server): Snippet {
  return {
    name: 'TypeScript',
    about: 'The same API as with a local store.',
    code: `import { open } from 'throughline'

const tl = await open('${url}')${isSecured ? ' // with the token in THROUGHLINE_TOKEN' : ''}
const session = await tl.sessions.getOrCreate({
  userId: ${quoted(userId)},
  task: 'Plan the trip',
})
await session.addMessage({ role: 'user', content: 'A train to Vienna?' })
await session.addMessage({ role: 'assistant', content: 'At 21:40.' })
`,
  }
}

function claudeCode({ url, isSecured }: Server): Snippet {
  const header = isSecured ? ' \\\n  --header "Authorization: Bearer $THROUGHLINE_TOKEN"' : ''
  return {
    name: 'Claude Code',
    about: 'Over MCP, with one command.',
    code: `claude mcp add --transport http throughline \\
  ${url}/mcp${header}
`,
  }
}

function mcp({ url, isSecured }: Server): Snippet {
  const entry = { url: `${url}/mcp`, ...(isSecured && { headers: { Authorization: 'Bearer TOKEN' } }) }
  return {
    name: 'MCP',
    about: `Settings for other MCP clients${isSecured ? '. Replace TOKEN with your token' : ''}.`,
    code: `${JSON.stringify({ mcpServers: { throughline: entry } }, null, 2)}\n`,
  }
}

function curl({ url, isSecured, userId }: Server): Snippet {
  const header = isSecured ? ` \\\n  -H "Authorization: Bearer $THROUGHLINE_TOKEN"` : ''
  // a shell has no escape inside single quotes: close them, add a quote, open them again
  const body = JSON.stringify({ userId, message: 'Plan the trip to Vienna' }).replaceAll("'", "'\\''")
  return {
    name: 'curl',
    about: 'From any language. The first message to a conversation starts a session.',
    code: `curl -s ${url}/v1/conversations/first/messages${header} \\
  -H 'Content-Type: application/json' \\
  -d '${body}'

# every route
curl -s ${url}/openapi.json
`,
  }
}

function cli({ url, isSecured }: Server): Snippet {
  const token = isSecured ? '# reads the token from THROUGHLINE_TOKEN\n' : ''
  return {
    name: 'Command line',
    about: 'The same sessions in a terminal.',
    code: `${token}export THROUGHLINE_URL=${url}
npx throughline sessions
npx throughline tail SESSION
npx throughline demo --url ${url}
`,
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}
