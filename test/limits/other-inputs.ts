import { existsSync, readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { LIMITS } from '../../src/domain/limits.ts'
import { type HeavyData, OWNER } from './heavy-data.ts'
import type { LargeInputs } from './large-input.ts'
import type { MeasuredRoute } from './measured-requests.ts'
import { randomWords } from './texts.ts'

const get = (path: string): MeasuredRoute => ({ method: 'GET', path, operation: path, isBesideApi: true })

/** What the server answers beside the routes of the API. */
export const OTHER_ROUTES: readonly MeasuredRoute[] = [
  ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/', ...largestAsset()].map(get),
  { method: 'POST', path: `/mcp?user=${OWNER}`, operation: 'mcp', isBesideApi: true },
]

/** The path of the largest file of the inspector, if it is built. */
function largestAsset(): string[] {
  const folder = fileURLToPath(new URL('../../dist/inspector/assets', import.meta.url))
  if (!existsSync(folder)) return []
  const sizeOf = (name: string) => statSync(`${folder}/${name}`).size
  const [largest] = readdirSync(folder).toSorted((a, b) => sizeOf(b) - sizeOf(a))
  return largest === undefined ? [] : [`/assets/${largest}`]
}

/** Inputs of the other routes. */
export function otherInputs({ sessions }: HeavyData): LargeInputs {
  const call = (name: string, given: object) => ({
    name: `${name} ${JSON.stringify(given).slice(0, 40)}`,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
  })
  return {
    mcp: [
      call('read_session', { sessionId: sessions.large }),
      call('read_session', { sessionId: sessions.calls }),
      call('read_scratchpad', { sessionId: sessions.work }),
      call('build_context', { sessionId: sessions.texts }),
      call('list_sessions', { limit: 50 }),
      call('recall', { query: randomWords(LIMITS.query) }),
    ],
  }
}
