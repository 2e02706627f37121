import type { Places } from '../places.ts'
import type { Store } from '../seats.ts'

/** Where a part of Throughline alone keeps its sessions. */
export async function urlOf(store: Store, places: Places): Promise<string> {
  if (store === 'memory') return 'memory:'
  return store === 'sqlite' ? `sqlite:${places.file()}` : await (await places.postgres()).served()
}
