import type { SessionBlock, Throughline } from '../api.ts'
import { TooLargeError, ValidationError } from '../domain/errors.ts'
import { type BlockOutcome, importAll, type RefusedBlock, refusedBlock } from '../features/transfer/batches.ts'
import { type ExportPage, exportBlocks } from '../features/transfer/pages.ts'
import type { Connection } from './connection.ts'
import { toJson } from './request.ts'

/** Sessions on their way to and from elsewhere: the same loops as on a store, over pages and batches that are requests. */
export function remoteTransfer(connection: Connection): Pick<Throughline, 'export' | 'import'> {
  const pageOf = (query: object) => post<ExportPage>(connection, '/export', toJson(query))
  return {
    export: (options) => exportBlocks(pageOf, options),
    import: (blocks, options) => importAll((batch) => importBatch(connection, batch), blocks, options),
  }
}

/** One batch. What cannot be sent is refused alone, as it is where it is taken in. */
async function importBatch(connection: Connection, batch: readonly SessionBlock[]): Promise<BlockOutcome[]> {
  const written = batch.map(encodeBlock)
  const sent = await postBlocks(
    connection,
    written.filter((each) => 'text' in each),
  )
  return written.map((each) => ('text' in each ? (sent.shift() as BlockOutcome) : each))
}

interface EncodedBlock {
  readonly block: SessionBlock
  readonly text: string
}

function encodeBlock(block: SessionBlock): EncodedBlock | RefusedBlock {
  try {
    // parts stand three levels below the block
    return { block, text: toJson(block, '', -2) }
  } catch (error) {
    if (error instanceof ValidationError || error instanceof TooLargeError) return refusedBlock(block, error)
    throw error
  }
}

/** Where a server takes smaller bodies they go one by one; one that is too large even so is refused alone. */
async function postBlocks(connection: Connection, texts: readonly EncodedBlock[]): Promise<BlockOutcome[]> {
  const [first] = texts
  if (first === undefined) return []
  try {
    const body = `{"blocks":[${texts.map(({ text }) => text).join(',')}]}`
    return (await post<{ outcomes: BlockOutcome[] }>(connection, '/import', body)).outcomes
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    if (texts.length === 1) return [refusedBlock(first.block, error)]
    const outcomes: BlockOutcome[] = []
    for (const text of texts) outcomes.push(...(await postBlocks(connection, [text])))
    return outcomes
  }
}

async function post<T>(connection: Connection, path: string, body: string): Promise<T> {
  return await connection.request<T>({ method: 'POST', path, body, idempotent: true })
}
