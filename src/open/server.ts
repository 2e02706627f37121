import type { Throughline } from '../api.ts'
import { ValidationError } from '../domain/errors.ts'
import type { OpenOptions } from './options.ts'

/** Options allowed with the address of a server. The command line passes the last two to every store. */
const ALLOWED: { readonly [Option in keyof OpenOptions]: (value: unknown) => boolean } = {
  url: () => true,
  token: () => true,
  migrate: (value) => value === false,
  index: (value) => value === false,
}

/** Opens the store of a server. The client is loaded on first use. */
export async function openServer(url: string, given: OpenOptions): Promise<Throughline> {
  for (const [option, value] of Object.entries(given)) {
    const isAllowed = ALLOWED[option as keyof OpenOptions]?.(value) ?? false
    if (value !== undefined && !isAllowed) {
      throw new ValidationError(option, `must be set on the server at ${new URL(url).origin}, not on the client`)
    }
  }
  const { remoteThroughline } = await import('../remote/index.ts')
  return await remoteThroughline({ url, token: given.token ?? (process.env['THROUGHLINE_TOKEN'] || undefined) })
}
