import type { Pool } from 'pg'

/** The pool of connections that a peer is given, for it to be as large as the others'. */
export async function poolOf(target: string, connections: number): Promise<Pool> {
  const { Pool } = (await import('pg')).default
  return new Pool({ connectionString: target, max: connections })
}

/**
 * Ends the pool and waits for its connections to be gone: its own `end` answers before, and the database may be
 * dropped next.
 */
export async function endOf(pool: Pool): Promise<void> {
  let left = pool.totalCount
  const gone = new Promise<void>((resolve) => {
    if (left === 0) resolve()
    pool.on('remove', () => --left === 0 && resolve())
  })
  await pool.end()
  await gone
}
