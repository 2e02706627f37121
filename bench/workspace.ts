import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Databases, databases } from './databases.ts'

/** Files and databases of the competitors. */
export interface Workspace {
  /** Path of a new file. */
  file(): string
  /** The Postgres server, started on first use. */
  postgres(): Promise<Databases>
  /** Version of that server; undefined if it was not used. */
  postgresVersion(): Promise<string | undefined>
  /** Removes the data of a part. */
  clear(): Promise<void>
  /** Removes everything and stops the server. */
  close(): Promise<void>
}

export function createWorkspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'))
  let files = 0
  let server: Promise<Databases> | undefined
  let closing: Promise<void> | undefined

  async function remove(): Promise<void> {
    rmSync(folder, { recursive: true })
    await (await server)?.close()
  }

  function close(): Promise<void> {
    closing ??= remove()
    return closing
  }

  for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const]) {
    process.once(signal, () => void close().finally(() => process.exit(code)))
  }
  return {
    file: () => join(folder, `${files++}.db`),
    postgres() {
      server ??= databases()
      return server
    },
    postgresVersion: async () => await (await server)?.version(),
    async clear() {
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
      await (await server)?.clear()
    },
    close,
  }
}
