import { ValidationError } from '../../domain/errors.ts'

/** The address of Redis, parsed from a URL. */
export interface Address {
  readonly cluster: boolean
  readonly tls: boolean
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  readonly username?: string
  readonly password?: string
  /** Number of the database; a cluster has only 0. */
  readonly db: number
}

const DEFAULT_PORT = 6379

/**
 * Parses `redis://[user:password@]host[:port][/db]`, `rediss://…` for TLS, and for Redis Cluster
 * `redis+cluster://host:port,host:port` or `rediss+cluster://…` with any seed nodes.
 */
export function parseAddress(url: string): Address {
  const [, scheme = '', login, hosts = '', path = ''] =
    /^([a-z+]+):\/\/(?:([^@/]*)@)?([^/?#@]+)(?:\/(\d*))?$/.exec(url) ?? []
  const [, secure, cluster] = /^redis(s)?(\+cluster)?$/.exec(scheme) ?? refuse()
  const nodes = hosts.split(',').map(parseNode)
  if (cluster === undefined && nodes.length > 1) refuse()
  if (cluster !== undefined && Number(path) !== 0) refuse()
  const [, username = '', password = ''] = /^([^:]*)(?::(.*))?$/s.exec(login ?? '') ?? []
  return {
    cluster: cluster !== undefined,
    tls: secure !== undefined,
    nodes,
    ...(username !== '' && { username: decode(username) }),
    ...(password !== '' && { password: decode(password) }),
    db: Number(path),
  }
}

function parseNode(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(text) ?? refuse()
  return { host: bracketed ?? plain ?? '', port: port === undefined ? DEFAULT_PORT : Number(port) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return refuse()
  }
}

/** Does not repeat the URL, which may contain a password. */
function refuse(): never {
  throw new ValidationError(
    'cache',
    "must be 'redis://host:port/db', 'rediss://…' or, for Redis Cluster, 'redis+cluster://host:port,host:port'",
  )
}
