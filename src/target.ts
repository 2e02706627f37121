import { ValidationError } from './domain/errors.ts'

/** Where sessions are kept when nothing else is said. */
export const DEFAULT_URL = 'sqlite:.throughline/sessions.db'

/** A store that can be opened. */
export type Target =
  | { readonly store: 'memory' }
  | { readonly store: 'sqlite'; readonly path: string }
  | { readonly store: 'postgres'; readonly url: string }

/** Reads a URL: `memory:`, `sqlite:PATH` or `sqlite:///PATH`, `postgres://…` or `postgresql://…`. */
export function targetOf(url: string): Target {
  const [, scheme = '', rest = ''] = /^([a-z]+):(.*)$/s.exec(url) ?? []
  if (scheme === 'memory' && rest === '') return { store: 'memory' }
  const path = rest.replace(/^\/\/(?=\/)/, '')
  if (scheme === 'sqlite' && path !== '' && path !== ':memory:' && !path.startsWith('//'))
    return { store: 'sqlite', path }
  if (scheme === 'postgres' || scheme === 'postgresql') return { store: 'postgres', url }
  // a URL may hold a password, so no more than its scheme is repeated
  const given = scheme === '' ? 'what was given' : `'${scheme}:…'`
  throw new ValidationError('url', `must be 'memory:', 'sqlite:PATH' or 'postgres://…', and ${given} is none of them`)
}
