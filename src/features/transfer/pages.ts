import type { ExportOptions, ExportPlace, SessionBlock, UpkeepProgress } from '../../api.ts'
import { parse } from '../kernel/parse.ts'
import { exportOptions } from './schema.ts'

/** Which page of an export to read. */
export interface ExportQuery {
  sessionId?: string
  after?: ExportPlace
  /** Whether to return totals too. */
  totals?: boolean
}

/** Several small sessions, or a part of a long one. */
export interface ExportPage {
  blocks: SessionBlock[]
  /** Where the next page starts; absent on the last page. */
  next?: ExportPlace
  /** Totals of the export. */
  of?: { sessions: number; events: number }
}

/** Exports page by page, locally or over HTTP. Reads the next page while the caller consumes this one. */
export async function* exportBlocks(
  pageOf: (query: ExportQuery) => Promise<ExportPage>,
  options: ExportOptions = {},
): AsyncGenerator<SessionBlock, void> {
  parse(exportOptions, options)
  const { sessionId, after, onProgress } = options
  const only = sessionId === undefined ? {} : { sessionId }
  const query = { ...only, ...(after !== undefined && { after }), ...(onProgress !== undefined && { totals: true }) }
  const progress: UpkeepProgress = { sessions: 0, events: 0, of: { sessions: 0, events: 0 } }
  for (let coming: Promise<ExportPage> | undefined = pageOf(query); coming !== undefined; ) {
    const { blocks, next, of }: ExportPage = await coming
    if (of !== undefined) progress.of = of
    coming = next && pageOf({ ...only, after: next })
    // a caller that stopped reading does not need the error
    coming?.catch(() => {})
    for (const block of blocks) {
      yield block
      progress.sessions += block.done ? 1 : 0
      progress.events += block.events.length
      onProgress?.({ ...progress })
    }
  }
}
