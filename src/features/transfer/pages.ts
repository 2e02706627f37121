import type { ExportOptions, ExportPlace, SessionBlock, UpkeepProgress } from '../../api.ts'
import { parse } from '../kernel/parse.ts'
import { exportOptions } from './schema.ts'

/** Where a page of an export begins, and of what. */
export interface ExportQuery {
  sessionId?: string
  after?: ExportPlace
  /** Say how much there is in all, too. */
  totals?: boolean
}

/** Several small sessions, or a part of a long one. */
export interface ExportPage {
  blocks: SessionBlock[]
  /** Where the next page begins; absent for the last. */
  next?: ExportPlace
  /** What there is in all. */
  of?: { sessions: number; events: number }
}

/** An export, page by page: here, or over HTTP. The next page is on its way while this one is taken. */
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
    // whoever has seen enough does not hear how it failed
    coming?.catch(() => {})
    for (const block of blocks) {
      yield block
      progress.sessions += block.done ? 1 : 0
      progress.events += block.events.length
      onProgress?.({ ...progress })
    }
  }
}
