import { describe, expect, inject, it } from 'vitest'
import { firstInShortRun, isProving, printFigure, withDatabaseFile } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { startServeProcess } from '../servers/serve-process.ts'
import { proveWorkers, type RunTarget } from './run-workers.ts'

/** How the workers reach the database: by the library, or by a server on it. */
type Path = 'library' | 'server'

async function prove(name: string, url: string, path: Path): Promise<void> {
  const server = path === 'server' ? await startServeProcess({ THROUGHLINE_URL: url }) : undefined
  try {
    // processes that share a SQLite file are on one host, whose clock is that of the leases: there it must be right
    const mayMoveClocks = server !== undefined || !url.startsWith('sqlite:')
    const target: RunTarget = { url, workers: server?.url ?? url, mayMoveClocks }
    const { kills, stops, takeovers, events, seconds } = await proveWorkers(target)
    expect(takeovers).toBeGreaterThan(0)
    printFigure(
      `run workers on ${name}, ${path}: ${kills} × kill -9, ${stops} × stopped beyond the lease, ${takeovers} ` +
        `takeovers, ${events} events, ${seconds.toFixed(1)} s: each step recorded once and in order`,
    )
  } finally {
    server?.stop()
    await server?.ended
  }
}

const options = { timeout: 1_200_000, concurrent: !isProving }
/** In the short form each database is proved on one path. */
const paths = (only: Path): Path[] => (isProving ? ['library', 'server'] : [only])

describe('workers are killed and stopped, and no step is lost or repeated', () => {
  it.each(paths('library'))('on sqlite, with the %s', options, async (path) => {
    await withDatabaseFile(async (file) => prove('sqlite', `sqlite:${file}`, path))
  })

  describe.each(firstInShortRun(inject('postgres')))('on $name', ({ name, url }) => {
    it.each(paths('server'))('with the %s', options, async (path) => {
      const databases = await databasesOf(url)
      const database = await databases.create()
      try {
        await prove(name, database.url(SERVING), path)
      } finally {
        await database.destroy()
        await databases.close()
      }
    })
  })
})
