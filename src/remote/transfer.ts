import type { SessionBlock, Throughline } from '../api.ts'
import { TooLargeError } from '../domain/errors.ts'
import { type BlockOutcome, importAll } from '../features/transfer/batches.ts'
import { type ExportPage, exportBlocks } from '../features/transfer/pages.ts'
import type { Connection } from './connection.ts'
import { jsonOf } from './request.ts'

/** Sessions on their way to and from elsewhere: the same loops as on a store, over pages and batches that are requests. */
export function transferOf(connection: Connection): Pick<Throughline, 'export' | 'import'> {
  const pageOf = (query: object) => post<ExportPage>(connection, '/export', jsonOf(query))
  return {
    export: (options) => exportBlocks(pageOf, options),
    import: (blocks, options) => importAll((batch) => send(connection, batch), blocks, options),
  }
}

/** One batch. Where a server takes smaller bodies it goes block by block; one that is too large even so is refused alone. */
async function send(connection: Connection, batch: readonly SessionBlock[]): Promise<BlockOutcome[]> {
  try {
    // parts stand four levels below the list
    const body = `{"blocks":${jsonOf(batch, 'blocks', -3)}}`
    return (await post<{ outcomes: BlockOutcome[] }>(connection, '/import', body)).outcomes
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    const outcomes: BlockOutcome[] = []
    if (batch.length > 1) for (const block of batch) outcomes.push(...(await send(connection, [block])))
    else for (const { sessionId } of batch) outcomes.push({ sessionId, code: error.code, message: error.message })
    return outcomes
  }
}

async function post<T>(connection: Connection, path: string, body: string): Promise<T> {
  return await connection.request<T>({ method: 'POST', path, body, repeatable: true })
}
