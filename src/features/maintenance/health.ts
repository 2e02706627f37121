import type { Health } from '../../api.ts'
import type { Deps } from '../kernel/deps.ts'

/** The health of the store and its cache. Throws if the store does not respond. */
export async function healthOf({ store, cache, within }: Deps): Promise<Health> {
  const [{ schema, details }, cached] = await Promise.all([store.health(), cache?.health()])
  // only the operator may see paths, hosts and roles
  const shown = within === undefined ? details : {}
  return {
    ok: true,
    store: store.name,
    ...(schema !== undefined && { schema }),
    details: shown,
    ...(cached !== undefined && { cache: within === undefined ? cached : { ...cached, details: {} } }),
  }
}
