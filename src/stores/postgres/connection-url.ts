/** Bounds of every call, in milliseconds. */
export interface Timeouts {
  /** To connect once. */
  connection: number
  /** How long a call retries while no server can be reached that takes writes. */
  reconnect: number
  /** For one statement: on the server (0: none), and on the client if the server hangs. */
  statement: number
  query: number
}

const TIMEOUTS: Timeouts = { connection: 5000, reconnect: 15_000, statement: 30_000, query: 35_000 }

export interface Settings {
  /** One URL for each host, in the form that the driver takes. */
  hosts: readonly [string, ...string[]]
  pooled: boolean
  max: number
  timeouts: Timeouts
}

/**
 * Reads and removes our own settings from the URL: `pooled=true`; `pool=N`, the number of connections; `timeout=MS`,
 * the limit of a statement on the server. The other limits follow from it: 1 s more on the client, at most 5 s to
 * connect, and twice as long for retries while no server can be reached. The URL may name several hosts, separated by
 * commas; the driver knows only one.
 */
export function settingsOf(url: string): Settings {
  const [base = '', search = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(search)
  const pooled = parameters.get('pooled') === 'true'
  const max = Number(parameters.get('pool') ?? 10)
  const timeout = Number(parameters.get('timeout') ?? 0)
  for (const name of ['pooled', 'pool', 'timeout']) parameters.delete(name)
  const rest = parameters.toString()
  const [first = base, ...others] = urlsOf(base).map((one) => (rest === '' ? one : `${one}?${rest}`))
  return {
    hosts: [first, ...others],
    pooled,
    max: Number.isInteger(max) && max > 0 ? max : 10,
    timeouts: Number.isInteger(timeout) && timeout > 0 ? timeoutsOf(timeout) : TIMEOUTS,
  }
}

/** For a migration: one connection that holds its lock, and one for its statements, which may take hours. */
export function migrationSettings(url: string): Settings {
  const settings = settingsOf(url)
  return { ...settings, max: 2, timeouts: { ...settings.timeouts, statement: 0, query: Number.POSITIVE_INFINITY } }
}

/** Scheme with user and password, hosts, and the rest. */
const PARTS = /^([a-z]+:\/\/(?:[^/]*@)?)([^/@]+)(.*)$/s

function urlsOf(base: string): string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(base) ?? []
  return hosts === '' ? [base] : hosts.split(',').map((host) => `${before}${host}${after}`)
}

function timeoutsOf(ms: number): Timeouts {
  return { connection: Math.min(ms, 5000), reconnect: 2 * ms, statement: ms, query: ms + 1000 }
}
