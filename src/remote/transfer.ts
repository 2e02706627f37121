import type { SessionBlock, Throughline } from '../api.ts'
import { TooLargeError, ValidationError } from '../domain/errors.ts'
import { type BlockOutcome, importAll, type RefusedBlock, refusedBlock } from '../features/transfer/batches.ts'
import { type ExportPage, exportBlocks } from '../features/transfer/pages.ts'
import type { Connection } from './connection.ts'
import { toJson } from './request.ts'

/** Export and import with the loops that run on a store; each page and each batch is one request. */
export function remoteTransfer(connection: Connection): Pick<Throughline, 'export' | 'import'> {
  return {
    export: (options) =>
      exportBlocks(async (query: object) => await connection.post<ExportPage>('/export', toJson(query)), options),
    import: (blocks, options) => importAll((batch) => importBatch(connection, batch), blocks, options),
  }
}

/** Refuses only the blocks that cannot be encoded, as a local import does. */
async function importBatch(connection: Connection, batch: readonly SessionBlock[]): Promise<BlockOutcome[]> {
  const blocks = batch.map(encodeBlock)
  const encoded = blocks.filter((block) => 'text' in block)
  const outcomes = await postBlocks(connection, encoded)
  return blocks.map((block) => ('text' in block ? (outcomes.shift() as BlockOutcome) : block))
}

interface EncodedBlock {
  readonly block: SessionBlock
  readonly text: string
}

function encodeBlock(block: SessionBlock): EncodedBlock | RefusedBlock {
  try {
    // parts are three levels below the block
    return { block, text: toJson(block, '', -2) }
  } catch (error) {
    if (error instanceof ValidationError || error instanceof TooLargeError) return refusedBlock(block, error)
    throw error
  }
}

/** If the server limits bodies to less, sends the blocks one by one and refuses those that are still too large. */
async function postBlocks(connection: Connection, blocks: readonly EncodedBlock[]): Promise<BlockOutcome[]> {
  const [first] = blocks
  if (first === undefined) return []
  try {
    const body = `{"blocks":[${blocks.map(({ text }) => text).join(',')}]}`
    return (await connection.post<{ outcomes: BlockOutcome[] }>('/import', body)).outcomes
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    if (blocks.length === 1) return [refusedBlock(first.block, error)]
    const outcomes: BlockOutcome[] = []
    for (const block of blocks) outcomes.push(...(await postBlocks(connection, [block])))
    return outcomes
  }
}
