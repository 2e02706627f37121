import { UNDATED } from './blank.ts'
import { connect, whenFree } from './connection.ts'
import { migrate } from './migrate.ts'

/** Makes the file that new ones are copies of, from the migrations. */
export async function makeBlank(path: string): Promise<void> {
  const db = await connect({ path, durability: 'full' }, () => {})
  try {
    await migrate(db)
    db.prepare('update throughline_migrations set applied_at = ?').run(UNDATED)
    await whenFree(() => db.exec('vacuum'))
  } finally {
    db.close()
  }
}
