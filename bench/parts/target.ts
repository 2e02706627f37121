import type { Store } from '../lineup.ts'
import type { Workspace } from '../workspace.ts'

/** Store URL of a part that measures only Throughline. */
export async function urlOf(store: Store, places: Workspace): Promise<string> {
  if (store === 'memory') return 'memory:'
  return store === 'sqlite' ? `sqlite:${places.file()}` : await (await places.postgres()).served()
}
