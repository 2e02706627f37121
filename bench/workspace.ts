import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Databases, databases } from './databases.ts'

/** Where the competitors keep what they write. */
export interface Workspace {
  /** Path of a new file. */
  file(): string
  /** The Postgres server, started when it is first asked for. */
  postgres(): Promise<Databases>
  /** Version of that server; undefined if nobody asked for it. */
  postgresVersion(): Promise<string | undefined>
  /** Removes what a part has written. */
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
