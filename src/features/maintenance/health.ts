import type { Health } from '../../api.ts'
import type { Deps } from '../kernel/deps.ts'

/** That the store answers, and how what stands in front of it is. Throws where the store does not. */
export async function healthOf({ store, cache, within }: Deps): Promise<Health> {
  const [{ schema, details }, cached] = await Promise.all([store.health(), cache?.health()])
  // where things lie, and as whom they are opened, is nobody's business but the operator's
  const shown = within === undefined ? details : {}
  return {
    ok: true,
    store: store.name,
    ...(schema !== undefined && { schema }),
    details: shown,
    ...(cached !== undefined && { cache: within === undefined ? cached : { ...cached, details: {} } }),
  }
}
