import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '../../src/domain/limits.ts'
import { type HeavyData, OWNER } from './heavy-data.ts'
import { distinctKeys, type LargeInput, type LargeInputs } from './large-input.ts'
import type { MeasuredRoute } from './measured-requests.ts'
import { randomWords } from './texts.ts'

const get = (path: string): MeasuredRoute => ({ method: 'GET', path, operation: path, isBesideApi: true })

/** What the server answers beside the routes of the API. */
export const OTHER_ROUTES: readonly MeasuredRoute[] = [
  ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/', ...largestAsset()].map(get),
  { method: 'POST', path: `/mcp?user=${OWNER}`, operation: 'mcp', isBesideApi: true },
  { method: 'GET', path: `/mcp?user=${OWNER}`, operation: 'mcpStream', isBesideApi: true },
  { method: 'DELETE', path: `/mcp?user=${OWNER}`, operation: 'mcpEnd', isBesideApi: true },
]

/** The path of the largest file of the inspector, if it is built. */
function largestAsset(): string[] {
  const folder = fileURLToPath(new URL('../../dist/inspector/assets', import.meta.url))
  if (!existsSync(folder)) return []
  const sizeOf = (name: string) => statSync(`${folder}/${name}`).size
  const [largest] = readdirSync(folder).toSorted((a, b) => sizeOf(b) - sizeOf(a))
  return largest === undefined ? [] : [`/assets/${largest}`]
}

/** What is around a text in a body. */
const AROUND = 1000
const LONGEST = LIMITS.content - AROUND

/** Inputs of the other routes. */
export function otherInputs({ sessions }: HeavyData): LargeInputs {
  const message = (name: string, method: string, params: unknown): LargeInput => ({
    name,
    headers: { accept: 'application/json, text/event-stream' },
    body: (id: string) => ({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: typeof params === 'function' ? params(id) : params,
    }),
  })
  const call = (name: string, given: object) =>
    message(`${name} ${JSON.stringify(given).slice(0, 40)}`, 'tools/call', { name, arguments: given })
  const onNew = (name: string, given: object): LargeInput => ({
    ...message(name, 'tools/call', (sessionId: string) => ({ name, arguments: { sessionId, ...given } })),
    prepare: async (tl) => (await tl.sessions.create({ userId: OWNER, chatmode: randomUUID() })).id,
  })
  const words = randomWords(LONGEST)
  return {
    mcpStream: [{ name: 'nothing', refused: 405 }],
    mcpEnd: [{ name: 'nothing', refused: 405 }],
    mcp: [
      message('the list of tools', 'tools/list', {}),
      message('the list of sessions', 'resources/read', { uri: 'throughline://sessions' }),
      message('a session', 'resources/read', { uri: `throughline://sessions/${sessions.long}` }),
      onNew('say', { messages: [{ role: 'user', content: words }] }),
      onNew('note', { text: randomWords(LIMITS.note - 10) }),
      onNew('update_scratchpad', { patch: distinctKeys(LIMITS.members - 100) }),
      call('remember', { content: randomWords(LIMITS.memory - 1) }),
      call('read_session', { sessionId: sessions.large }),
      call('read_session', { sessionId: sessions.calls }),
      call('read_scratchpad', { sessionId: sessions.work }),
      call('build_context', { sessionId: sessions.texts }),
      call('list_sessions', { limit: 50 }),
      call('recall', { query: randomWords(LIMITS.query) }),
    ],
  }
}
