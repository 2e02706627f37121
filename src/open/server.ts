import type { Throughline } from '../api.ts'
import { ValidationError } from '../domain/errors.ts'
import type { OpenOptions } from './options.ts'

/** What may stand beside the address of a server. The command line says the last two of every store. */
const OWN: { readonly [Option in keyof OpenOptions]: (value: unknown) => boolean } = {
  url: () => true,
  token: () => true,
  migrate: (value) => value === false,
  index: (value) => value === false,
}

/** Opens the store of a server. Loaded on first use: who has a store of their own does not pay for it. */
export async function openServer(url: string, given: OpenOptions): Promise<Throughline> {
  for (const [option, value] of Object.entries(given)) {
    const isOwn = OWN[option as keyof OpenOptions]?.(value) ?? false
    if (value !== undefined && !isOwn) {
      throw new ValidationError(
        option,
        `belongs to the server at ${new URL(url).origin}: give it where that is started`,
      )
    }
  }
  const { remoteThroughline } = await import('../remote/index.ts')
  return await remoteThroughline({ url, token: given.token ?? (process.env['THROUGHLINE_TOKEN'] || undefined) })
}
