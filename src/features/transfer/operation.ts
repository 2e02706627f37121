import type { ExportOptions, ImportOptions, ImportReport, SessionBlock } from '../../api.ts'
import type { Deps } from '../kernel/deps.ts'
import { importAll } from './batches.ts'
import { exportPage } from './export.ts'
import { importBlocks } from './import.ts'
import { exportBlocks } from './pages.ts'

export { exportPage } from './export.ts'
export { importBlocks } from './import.ts'

/** Exports whole sessions, block by block. */
export function exportSessions(deps: Deps, options?: ExportOptions): AsyncGenerator<SessionBlock, void> {
  return exportBlocks((query) => exportPage(deps, query), options)
}

/** Imports sessions unchanged. */
export async function importSessions(
  deps: Deps,
  blocks: AsyncIterable<SessionBlock> | Iterable<SessionBlock>,
  options?: ImportOptions,
): Promise<ImportReport> {
  return await importAll((batch) => importBlocks(deps, batch), blocks, options)
}
