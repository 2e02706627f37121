import { ValidationError } from '../domain/errors.ts'

/** The default store. */
export const DEFAULT_URL = 'sqlite:.throughline/sessions.db'

/** What can be opened: a store or a server. */
export type Target = StoreTarget | { readonly store: 'http'; readonly url: string }

/** A store that can be opened. */
export type StoreTarget =
  | { readonly store: 'memory' }
  | { readonly store: 'sqlite'; readonly path: string }
  | { readonly store: 'postgres'; readonly url: string }

/**
 * Reads a URL: `memory:`, `sqlite:PATH` or `sqlite:///PATH`, `postgres://…` or `postgresql://…`, `http://…` or
 * `https://…`.
 */
export function targetOf(url: string): Target {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(url) ?? []
  if (scheme === 'memory' && rest === '') return { store: 'memory' }
  const path = rest.replace(/^\/\/(?=\/)/, '')
  if (scheme === 'sqlite' && path !== '' && path !== ':memory:' && !path.startsWith('//'))
    return { store: 'sqlite', path }
  if (scheme === 'postgres' || scheme === 'postgresql') return { store: 'postgres', url }
  if (scheme === 'http' || scheme === 'https') return { store: 'http', url: addressOf(url) }
  // a URL may contain a password, so only its scheme is repeated
  const given = scheme === '' ? 'the given value' : `'${scheme}:…'`
  throw new ValidationError('url', `must be 'memory:', 'sqlite:PATH', 'postgres://…' or 'https://…', not ${given}`)
}

/** Checks the address of a server. Callers identify themselves by a token in a header: no secret belongs in the URL. */
function addressOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:\/\//.test(url)) {
    throw new ValidationError('url', 'must be the address of a server, such as https://host:4747')
  }
  const { username, password, search, hash, href } = new URL(url)
  if (username !== '' || password !== '') {
    throw new ValidationError('url', 'must not contain a user or password: use the option token')
  }
  if (search !== '' || hash !== '') throw new ValidationError('url', 'must not have a query or a fragment')
  return href
}
